import type { LeftOut, NoPage, Place } from '@reading-list/formats';
import { type Failure, germanReason } from './german-reasons';
import { isOutOfSpace, PartGoneError } from './platform/failures';

/** Every sentence of the application. A new language is one more object of this shape. */
const en = {
  language: 'English',
  direction: 'ltr' as 'ltr' | 'rtl',
  /** Why something failed, in this language. */
  reason: ({ message }: Failure): string => message,
  appName: 'Reading list',
  tagline: 'What you want to read, on all your devices.',
  skipToList: 'Skip to the list',
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',

  views: { unread: 'Unread', read: 'Read', favorites: 'Favourites', archive: 'Archive', all: 'All' },
  viewsLabel: 'Views',
  empty: {
    unread: 'Nothing left to read.',
    read: 'Nothing here. What you mark as read stays here until you archive it.',
    favorites: 'No favourites yet. Star an article to keep it at hand.',
    archive: 'The archive is empty.',
    all: 'Nothing here yet. Save your first article by pasting its address.',
    search: 'Nothing matches.',
    isNew: 'This list is new: nothing has been saved to it yet.',
    signedInAs: (name: string) => `You are signed in as “${name}”.`,
    isOther:
      'If your articles are missing here, check the name and the password: each combination opens a list of its own.',
    first: 'Save your first article',
    start: 'Import articles, or get the bookmarklet',
  },
  found: 'Found in all articles',
  search: 'Search',
  order: 'Order',
  orders: { newest: 'Newest first', oldest: 'Oldest first', title: 'By title' },
  menu: 'More',
  add: 'Save an article',
  addShort: 'Save',
  url: 'Address',
  title: 'Title',
  titleOptional: 'Title (optional)',
  titleHint: 'The service does not open the page. You can add a title now or later.',
  save: 'Save',
  notAnAddress: 'This is not a web address: it must begin with https:// or http://.',
  tracking: 'This address says where you found it. Without that part it is',
  useClean: 'Use the shorter one',
  sameThere: (title: string) => `This page is most likely on your list already: “${title}”`,
  duplicates: {
    heading: 'Saved more than once',
    found: (count: number) =>
      count === 1
        ? 'One page seems to be saved more than once.'
        : `${number(count)} pages seem to be saved more than once.`,
    show: 'Show',
    hint: 'These addresses most likely lead to the same page. Nothing happens unless you delete one.',
    none: 'No page is saved more than once.',
  },
  alreadyThere: 'This article is already on your list.',
  saved: (title: string) => `Saved “${title}”`,

  open: 'Open the article',
  openNamed: (title: string) => `Open “${title}” in a new tab`,
  markRead: 'Mark as read',
  markUnread: 'Mark as unread',
  archive: 'Archive',
  unarchive: 'Move out of the archive',
  favorite: 'Add to favourites',
  unfavorite: 'Remove from favourites',
  rename: 'Rename',
  remove: 'Delete',
  undo: 'Undo',
  unnamed: (title: string, action: string) => `${action}: ${title}`,
  done: {
    read: (title: string) => `Marked “${title}” as read`,
    unread: (title: string) => `Marked “${title}” as unread`,
    archived: (title: string) => `Archived “${title}”`,
    unarchived: (title: string) => `Moved “${title}” out of the archive`,
    favorite: (title: string) => `Added “${title}” to favourites`,
    unfavorite: (title: string) => `Removed “${title}” from favourites`,
    removed: (title: string) => `Deleted “${title}”`,
    renamed: (title: string) => `Renamed to “${title}”`,
    position: (title: string) => `Moved the reading position in “${title}”`,
    undone: (what: string) => `Undone: ${what}`,
    nothingToUndo: 'Nothing to undo.',
  },
  detail: 'Details',
  noSelection: 'Select an article to see its details.',
  backToList: 'Back to the list',
  notLinked: 'This is not a web address, so it is not a link.',
  addedOn: (when: string, device: string) => `Saved ${when} on ${device}`,
  readOn: (when: string, device: string) => (device ? `Read ${when} on ${device}` : `Read ${when}`),
  readHere: 'Read',
  waiting: 'Not sent yet',
  titleFollows: 'Title to follow',
  position: 'How far you have read',
  positionOf: (words: number, total: number) => `${number(words)} of ${number(total)} words`,
  atWord: (words: number) => `word ${number(words)}`,
  positionHint: 'It only moves forward. Mark the article as unread to start again.',
  minutes: (minutes: number) => `${minutes} min`,
  progress: (percent: number) => `${percent}% read`,

  sync: {
    offline: 'Offline. Changes are kept here and sent later.',
    busy: 'The service has a problem. Trying again soon.',
    syncing: 'Syncing…',
    upToDate: (time: string) => `Up to date, ${time}`,
    starting: 'Opening…',
    signedOut: 'Signed out by the service',
    gone: 'The service has been discontinued',
    unsent: (count: number) => (count === 1 ? '1 change to send' : `${number(count)} changes to send`),
    foreign: 'Something other than the service is responding, such as the sign-in page of a network.',
    openForeign: 'Open it',
    full: 'No space is left on this device, so nothing new can be stored.',
    now: 'Sync now',
  },
  notices: {
    heading: 'Notices',
    signedOut: 'Your sign-in is no longer valid. Everything you change is kept on this device until you sign in again.',
    signInAgain: 'Sign in again',
    gone: 'This service has been discontinued and accepts no more changes. Your list is still on this device: export it to take it with you.',
    ending: 'The service has a message:',
    oddRecord: 'One article from the service cannot be read here and is left out:',
    moreInformation: 'More information',
    more: (count: number) => (count === 1 ? 'There is 1 more message.' : `There are ${number(count)} more messages.`),
    dismissAll: 'Dismiss all',
    update: 'A new version is ready.',
    updateNow: 'Reload',
    tokenOnce: 'You stay signed in until you close or reload this page.',
    stay: 'Stay signed in on this device',
    failed: (reason: string) => `That did not work: ${reason}`,
    full: 'No space is left on this device for this site. Delete files or the data of other sites, then try again.',
    partGone: 'Part of the application was replaced by a new version. Reload the page.',
    broken: 'The list on this device cannot be opened.',
    storage:
      'This browser does not let pages store data here (perhaps this is a private window), so the list cannot be opened.',
  },
  conflicts: {
    'deleted-remotely': (title: string) =>
      `“${title}” was deleted on another device while you changed it here. It is gone.`,
    'deleted-here-edited-remotely': (title: string) =>
      `You deleted “${title}” here while it was changed on another device. It is deleted everywhere.`,
    merged: (title: string) =>
      `“${title}” was changed here and on another device at the same time. The changes were merged.`,
    refused: (title: string, reason: string) =>
      `The service did not accept a change to “${title}”${reason ? `: ${reason}` : ''}.`,
    lost: 'Not kept:',
    saveAgain: 'Save it again',
    fields: {
      title: 'title',
      unread: 'read or unread',
      archived: 'archive',
      favorite: 'favourite',
      read_position: 'reading position',
      excerpt: 'excerpt',
    } as Record<string, string>,
  },

  signIn: {
    withProvider: 'Sign in with your account',
    withProviderHint: 'You are taken to the sign-in page of your identity provider and back.',
    withPassword: 'Sign in with name and password',
    name: 'Name',
    password: 'Password',
    passwordHint:
      'There is no registration: each combination of name and password opens a list of its own, so a forgotten password cannot be reset.',
    withToken: 'Sign in with a personal token',
    token: 'Personal token',
    tokenHint: 'It begins with rl_. The operator of the service creates one for you.',
    submit: 'Sign in',
    stay: 'Stay signed in on this device',
    stayOtherwise: 'Stay signed in on this device with an account or token',
    stayByName: 'Stay signed in here with this name',
    checking: 'Signing in…',
    refused: 'The service did not accept this. Check the spelling and try again.',
    linkRefused: 'This link is incomplete or no longer valid. Ask whoever gave it to you for a new one.',
    tokenRefused: (reason: string) => `The provider’s token is not accepted: ${reason}`,
    providerAway: 'The identity provider cannot be reached at the moment. Try again later.',
    unreachable: 'The service cannot be reached. Check the connection and try again.',
    foreign: 'Something other than the service is responding, such as the sign-in page of a network or a gateway.',
    openForeign: 'Open it in a new tab',
    again: 'Try again',
    ended: 'This service has been discontinued: nobody can sign in any more.',
    pending: (title: string) => `“${title}” will be saved as soon as you sign in.`,
    pendingForm: (title: string) => `“${title}” will be saved as soon as you sign in and confirm it.`,
    noWay: 'The service offers no way to sign in from a browser.',
    unsent: (count: number) =>
      count === 1
        ? 'This device has 1 unsent change. It is kept until the account that made it signs in.'
        : `This device has ${number(count)} unsent changes. They are kept until the account that made them signs in.`,
  },
  switching: {
    heading: 'Open another list?',
    text: 'You are signed in already. This link opens a list other than yours, and whoever created it can read what you save there.',
    stay: 'Keep my list',
    go: 'Open the other list',
  },
  signOut: {
    action: 'Sign out',
    heading: 'Sign out?',
    text: 'The copy of your list on this device will be deleted. The list itself stays on the service.',
    unsent: (count: number) =>
      `${count === 1 ? '1 change has' : `${number(count)} changes have`} not been sent yet. If you sign out now, ${count === 1 ? 'it is' : 'they are'} lost.`,
    confirm: 'Sign out',
    confirmUnsent: 'Sign out and lose changes',
    stay: 'Stay signed in',
  },

  settings: {
    heading: 'Settings',
    device: 'Name of this device',
    deviceHint: 'Other devices show it with what you save here.',
    language: 'Language',
    account: 'Account',
    stay: 'Stay signed in on this device',
    bookmarklet: 'Bookmarklet',
    bookmarkletName: 'Save to reading list',
    bookmarkletHint: 'Drag this to your bookmarks bar. Clicking it there saves the page you are on.',
    pictures: 'Show pictures',
    picturesHint:
      'Pictures come from the pages’ own servers, which learn that somebody at your IP address has the article on a list, and when it is shown.',
    install: 'Install as an app',
    installHint: 'Then you can save to the list from the share menu of this device.',
    installManually: 'Use your browser’s menu (“Install” or “Add to Home screen”).',
  },
  importing: {
    heading: 'Import',
    hint: 'The export files of Pocket, Instapaper, Raindrop, Pinboard, wallabag, Omnivore, Readwise Reader, Karakeep, GoodLinks, of a browser or of this service, also zipped, several at a time.',
    choose: 'Choose files',
    reading: 'Reading the files…',
    formats: {
      pocket: 'Pocket',
      instapaper: 'Instapaper',
      bookmarks: 'Bookmarks',
      lines: 'Reading list',
      csv: 'Reading list (CSV)',
      table: 'CSV with a column “url”',
    } as Record<string, string>,
    unknownFormat: (understood: string) => `This is not an export that can be read. What can be read: ${understood}.`,
    unread: (count: number, names: string) =>
      `Not read, as ${count === 1 ? 'it is not an export' : 'they are not exports'}: ${names}${count > 5 ? ` and ${number(count - 5)} more` : ''}.`,
    unreadable: (file: string, reason: string) => `${file} cannot be read: ${reason}.`,
    stoppedAt: (reason: string) => `The rest of the file cannot be read: ${reason}. What comes before can be imported.`,
    preview: (format: string, count: number) => `${format}: ${count === 1 ? '1 entry' : `${number(count)} entries`}`,
    willAdd: 'New',
    willKnow: 'Already on the list',
    willRefuse: 'Cannot be imported',
    start: (count: number) => (count === 1 ? 'Import 1 article' : `Import ${number(count)} articles`),
    nothing: 'There is nothing new in this file.',
    progress: (done: number, total: number) => `${number(done)} of ${number(total)}`,
    stop: 'Stop',
    isRunning: 'The import is still running. Stop it first, or wait until it has finished.',
    finished: 'Import finished',
    stopped: 'Import stopped',
    added: 'Added',
    known: 'Already on the list',
    refused: 'Refused',
    sending: (sent: number, total: number, secondsLeft?: number) =>
      `${number(sent)} of ${number(total)} sent${secondsLeft === undefined ? '' : `, ${secondsLeft < 60 ? 'less than a minute' : `about ${number(Math.round(secondsLeft / 60))} min`} left`}`,
    pauses:
      'All of it is saved on this device. Closing this page only pauses the sending: it goes on when you open the page again.',
    oneByOne:
      'With name and password, articles are sent one by one. With a token, or signed in with your account, they are sent many at a time, which is faster.',
    hide: 'Continue in the background',
    place: ({ file, unit, number: at }: Place) =>
      `${file === undefined ? '' : `${file}: `}${unit === 'line' ? 'Line' : 'Entry'} ${number(at)}`,
    moreRefused: (count: number) => `and ${number(count)} more`,
    again: 'Import another file',
    noPage: {
      none: 'no address',
      browser: 'a page of the browser itself',
      search: 'a search in the browser’s bookmarks',
      script: 'a script (bookmarklet), not a page',
      file: 'a file on one computer',
      contents: 'contents without an address',
      contact: 'the address of a person, not of a page',
    } as Record<NoPage, string>,
    leftOut: (fields: string) => `Left out, as articles have no fields for them: ${fields}.`,
    leftOutOf: (field: string, count: number) => `${field} of ${count === 1 ? '1 entry' : `${number(count)} entries`}`,
    undated: (count: number) =>
      `${count === 1 ? '1 entry has' : `${number(count)} entries have`} no readable date, and will count as added now.`,
    fields: {
      tags: 'tags',
      folder: 'folder',
      highlights: 'highlights',
      'second description': 'a second description',
      'the text of the page': 'the text of the page',
      'reading progress': 'reading progress',
      picture: 'a picture without a complete address',
      'second address': 'a second address that is not complete',
      'word count': 'a word count that is not a number',
      'other columns': 'other columns',
      'the end of a long text': 'the end of a long text',
    } as Record<LeftOut, string>,
  },
  exporting: {
    heading: 'Export',
    hint: 'Everything on this device, in a file.',
    lines: 'JSON lines (complete)',
    csv: 'CSV',
    bookmarks: 'Bookmarks (HTML)',
    losses: {
      lines: 'Loses nothing, and can be imported again as it was.',
      csv: 'Loses who added and who read an article, when it was read, the page’s own title, and fractions of seconds.',
      bookmarks:
        'Keeps the address, title, excerpt and date of web pages, and whether they are unread or favourites; loses the rest, including whether they are archived.',
    },
  },
  help: {
    heading: 'Keyboard',
    action: 'Keyboard shortcuts',
    shortcuts: 'Use single keys as shortcuts',
    keys: {
      'j / k / ↓ / ↑': 'next, previous article',
      Enter: 'details',
      o: 'open the article in a new tab',
      m: 'mark as read or unread',
      e: 'archive, or move out of the archive',
      f: 'add to favourites, or remove',
      r: 'rename',
      '#': 'delete',
      z: 'undo',
      a: 'save an article',
      '/': 'search',
      'g u / g r / g f / g e / g a': 'unread, read, favourites, archive, all',
      '?': 'this help',
      Esc: 'close, or leave the search',
    } as Record<string, string>,
  },
};

/** The sentences of one language. */
export type Texts = typeof en;

const de: Texts = {
  language: 'Deutsch',
  direction: 'ltr',
  reason: (failure) => germanReason(failure, de.conflicts.fields),
  appName: 'Leseliste',
  tagline: 'Was du lesen willst, auf allen deinen Geräten.',
  skipToList: 'Zur Liste springen',
  close: 'Schließen',
  cancel: 'Abbrechen',
  dismiss: 'Ausblenden',

  views: { unread: 'Ungelesen', read: 'Gelesen', favorites: 'Favoriten', archive: 'Archiv', all: 'Alle' },
  viewsLabel: 'Ansichten',
  empty: {
    unread: 'Alles gelesen.',
    read: 'Nichts hier. Was du als gelesen markierst, steht hier, bis du es archivierst.',
    favorites: 'Noch keine Favoriten. Der Stern merkt einen Artikel vor.',
    archive: 'Das Archiv ist leer.',
    all: 'Noch nichts hier. Speichere den ersten Artikel mit seiner Adresse.',
    search: 'Nichts gefunden.',
    isNew: 'Diese Liste ist neu: Auf ihr wurde noch nie etwas gespeichert.',
    signedInAs: (name) => `Du bist als „${name}“ angemeldet.`,
    isOther: 'Wenn deine Artikel hier fehlen, prüfe Namen und Passwort: Jedes Paar davon öffnet eine eigene Liste.',
    first: 'Mit dem ersten Artikel beginnen',
    start: 'Artikel importieren oder das Bookmarklet holen',
  },
  found: 'In allen Artikeln gefunden',
  search: 'Suchen',
  order: 'Reihenfolge',
  orders: { newest: 'Neueste zuerst', oldest: 'Älteste zuerst', title: 'Nach Titel' },
  menu: 'Mehr',
  add: 'Artikel speichern',
  addShort: 'Speichern',
  url: 'Adresse',
  title: 'Titel',
  titleOptional: 'Titel (freiwillig)',
  titleHint: 'Der Dienst öffnet die Seite nicht. Einen Titel kannst du jetzt oder später vergeben.',
  save: 'Speichern',
  notAnAddress: 'Das ist keine Adresse einer Webseite: Sie muss mit https:// oder http:// beginnen.',
  tracking: 'Diese Adresse verrät, woher du sie hast. Ohne das lautet sie',
  useClean: 'Die kürzere nehmen',
  sameThere: (title) => `Wahrscheinlich steht dieselbe Seite schon auf deiner Liste: „${title}“`,
  duplicates: {
    heading: 'Mehrfach gespeichert',
    found: (count) =>
      count === 1
        ? 'Eine Seite scheint mehrfach gespeichert zu sein.'
        : `${number(count)} Seiten scheinen mehrfach gespeichert zu sein.`,
    show: 'Zeigen',
    hint: 'Diese Adressen führen wahrscheinlich zur selben Seite. Es geschieht nichts, solange du keine löschst.',
    none: 'Keine Seite ist mehrfach gespeichert.',
  },
  alreadyThere: 'Der Artikel steht schon auf deiner Liste.',
  saved: (title) => `„${title}“ gespeichert`,

  open: 'Artikel öffnen',
  openNamed: (title) => `„${title}“ in einem neuen Tab öffnen`,
  markRead: 'Als gelesen markieren',
  markUnread: 'Als ungelesen markieren',
  archive: 'Archivieren',
  unarchive: 'Aus dem Archiv zurückholen',
  favorite: 'Zu den Favoriten',
  unfavorite: 'Aus den Favoriten entfernen',
  rename: 'Umbenennen',
  remove: 'Löschen',
  undo: 'Rückgängig',
  unnamed: (title, action) => `${action}: ${title}`,
  done: {
    read: (title) => `„${title}“ als gelesen markiert`,
    unread: (title) => `„${title}“ als ungelesen markiert`,
    archived: (title) => `„${title}“ archiviert`,
    unarchived: (title) => `„${title}“ aus dem Archiv zurückgeholt`,
    favorite: (title) => `„${title}“ zu den Favoriten hinzugefügt`,
    unfavorite: (title) => `„${title}“ aus den Favoriten entfernt`,
    removed: (title) => `„${title}“ gelöscht`,
    renamed: (title) => `In „${title}“ umbenannt`,
    position: (title) => `Leseposition in „${title}“ verschoben`,
    undone: (what) => `Rückgängig gemacht: ${what}`,
    nothingToUndo: 'Es gibt nichts rückgängig zu machen.',
  },
  detail: 'Einzelheiten',
  noSelection: 'Wähle einen Artikel, um mehr von ihm zu sehen.',
  backToList: 'Zurück zur Liste',
  notLinked: 'Das ist keine Adresse einer Webseite, deshalb ist sie kein Link.',
  addedOn: (when, device) => `Gespeichert ${when} auf ${device}`,
  readOn: (when, device) => (device ? `Gelesen ${when} auf ${device}` : `Gelesen ${when}`),
  readHere: 'Gelesen',
  waiting: 'Noch nicht gesendet',
  titleFollows: 'Titel folgt',
  position: 'Wie weit du gelesen hast',
  positionOf: (words, total) => `${number(words)} von ${number(total)} Wörtern`,
  atWord: (words) => `Wort ${number(words)}`,
  positionHint: 'Sie rückt nur vor. Markiere den Artikel als ungelesen, um von vorn zu beginnen.',
  minutes: (minutes) => `${minutes} Min.`,
  progress: (percent) => `${percent} % gelesen`,

  sync: {
    offline: 'Offline. Änderungen bleiben hier und werden später gesendet.',
    busy: 'Der Dienst hat ein Problem. Der nächste Versuch kommt bald.',
    syncing: 'Wird abgeglichen …',
    upToDate: (time) => `Aktuell, ${time}`,
    starting: 'Wird geöffnet …',
    signedOut: 'Vom Dienst abgemeldet',
    gone: 'Der Dienst ist eingestellt',
    unsent: (count) => (count === 1 ? '1 Änderung zu senden' : `${number(count)} Änderungen zu senden`),
    foreign: 'Statt des Dienstes antwortet etwas anderes, zum Beispiel die Anmeldeseite eines Netzes.',
    openForeign: 'Öffnen',
    full: 'Auf diesem Gerät ist kein Platz mehr, deshalb lässt sich nichts Neues speichern.',
    now: 'Jetzt abgleichen',
  },
  notices: {
    heading: 'Hinweise',
    signedOut:
      'Deine Anmeldung gilt nicht mehr. Was du änderst, bleibt auf diesem Gerät, bis du dich wieder anmeldest.',
    signInAgain: 'Wieder anmelden',
    gone: 'Dieser Dienst ist eingestellt und nimmt keine Änderungen mehr an. Deine Liste ist noch auf diesem Gerät: Exportiere sie, um sie mitzunehmen.',
    ending: 'Der Dienst teilt mit:',
    oddRecord: 'Ein Artikel des Dienstes lässt sich hier nicht lesen und fehlt deshalb:',
    moreInformation: 'Mehr dazu',
    more: (count) => (count === 1 ? 'Es gibt 1 weitere Meldung.' : `Es gibt ${number(count)} weitere Meldungen.`),
    dismissAll: 'Alle ausblenden',
    update: 'Eine neue Version ist da.',
    updateNow: 'Neu laden',
    tokenOnce: 'Du bist angemeldet, bis diese Seite geschlossen oder neu geladen wird.',
    stay: 'Auf diesem Gerät angemeldet bleiben',
    failed: (reason) => `Das hat nicht geklappt: ${reason}`,
    full: 'Auf diesem Gerät ist für diese Seite kein Platz mehr. Lösche Dateien oder Daten anderer Seiten und versuche es noch einmal.',
    partGone: 'Ein Teil der Anwendung wurde durch eine neue Version ersetzt. Lade die Seite neu.',
    broken: 'Die Liste auf diesem Gerät lässt sich nicht öffnen.',
    storage:
      'Dieser Browser lässt Seiten hier keine Daten behalten (vielleicht ein privates Fenster), deshalb kann die Liste nicht geöffnet werden.',
  },
  conflicts: {
    'deleted-remotely': (title) =>
      `„${title}“ wurde auf einem anderen Gerät gelöscht, während du es hier geändert hast. Es ist weg.`,
    'deleted-here-edited-remotely': (title) =>
      `Du hast „${title}“ hier gelöscht, während es auf einem anderen Gerät geändert wurde. Es ist überall gelöscht.`,
    merged: (title) =>
      `„${title}“ wurde hier und auf einem anderen Gerät zugleich geändert. Beide Änderungen wurden zusammengeführt.`,
    refused: (title, reason) =>
      `Der Dienst hat eine Änderung an „${title}“ nicht angenommen${reason ? `: ${reason}` : ''}.`,
    lost: 'Nicht behalten:',
    saveAgain: 'Noch einmal speichern',
    fields: {
      title: 'Titel',
      unread: 'gelesen oder ungelesen',
      archived: 'Archiv',
      favorite: 'Favorit',
      read_position: 'Leseposition',
      excerpt: 'Auszug',
    },
  },

  signIn: {
    withProvider: 'Mit deinem Konto anmelden',
    withProviderHint: 'Du kommst zur Anmeldeseite deines Identitätsanbieters und wieder zurück.',
    withPassword: 'Mit Namen und Passwort anmelden',
    name: 'Name',
    password: 'Passwort',
    passwordHint:
      'Es gibt keine Registrierung: Jeder Name mit einem Passwort öffnet eine eigene Liste. Ein vergessenes lässt sich nicht zurücksetzen.',
    withToken: 'Mit einem persönlichen Token anmelden',
    token: 'Persönliches Token',
    tokenHint: 'Es beginnt mit rl_. Wer den Dienst betreibt, stellt es dir aus.',
    submit: 'Anmelden',
    stay: 'Auf diesem Gerät angemeldet bleiben',
    stayOtherwise: 'Auf diesem Gerät mit Konto oder Token angemeldet bleiben',
    stayByName: 'Hier mit diesem Namen angemeldet bleiben',
    checking: 'Anmeldung läuft …',
    refused: 'Der Dienst hat das nicht angenommen. Prüfe deine Eingabe.',
    linkRefused: 'Dieser Link ist unvollständig oder gilt nicht mehr. Lass dir einen neuen geben.',
    tokenRefused: (reason) => `Das Token des Anbieters wird nicht angenommen: ${reason}`,
    providerAway: 'Der Identitätsanbieter ist gerade nicht erreichbar. Versuche es später noch einmal.',
    unreachable: 'Der Dienst ist nicht erreichbar. Prüfe die Verbindung und versuche es noch einmal.',
    foreign:
      'Statt des Dienstes antwortet etwas anderes, zum Beispiel die Anmeldeseite eines Netzes oder eines Gateways.',
    openForeign: 'In einem neuen Tab öffnen',
    again: 'Erneut versuchen',
    ended: 'Dieser Dienst ist eingestellt: Anmelden ist nicht mehr möglich.',
    pending: (title) => `„${title}“ wird gespeichert, sobald du angemeldet bist.`,
    pendingForm: (title) => `„${title}“ wird gespeichert, sobald du angemeldet bist und es bestätigt hast.`,
    noWay: 'Der Dienst bietet keine Anmeldung im Browser an.',
    unsent: (count) =>
      `Auf diesem Gerät ${count === 1 ? 'wartet 1 Änderung' : `warten ${number(count)} Änderungen`} darauf, gesendet zu werden. Sie ${count === 1 ? 'bleibt' : 'bleiben'}, bis sich das Konto anmeldet, zu dem sie ${count === 1 ? 'gehört' : 'gehören'}.`,
  },
  switching: {
    heading: 'Andere Liste öffnen?',
    text: 'Du bist schon angemeldet. Dieser Link öffnet eine andere Liste als deine, und wer ihn gemacht hat, kann lesen, was du dort speicherst.',
    stay: 'Bei meiner Liste bleiben',
    go: 'Andere Liste öffnen',
  },
  signOut: {
    action: 'Abmelden',
    heading: 'Abmelden?',
    text: 'Die Kopie deiner Liste auf diesem Gerät wird gelöscht. Die Liste selbst bleibt beim Dienst.',
    unsent: (count) =>
      `${count === 1 ? '1 Änderung ist' : `${number(count)} Änderungen sind`} noch nicht gesendet. Wenn du dich jetzt abmeldest, ${count === 1 ? 'geht sie' : 'gehen sie'} verloren.`,
    confirm: 'Abmelden',
    confirmUnsent: 'Abmelden und verlieren',
    stay: 'Angemeldet bleiben',
  },

  settings: {
    heading: 'Einstellungen',
    device: 'Name dieses Geräts',
    deviceHint: 'Andere Geräte zeigen ihn neben dem, was du hier speicherst.',
    language: 'Sprache',
    account: 'Konto',
    stay: 'Auf diesem Gerät angemeldet bleiben',
    bookmarklet: 'Bookmarklet',
    bookmarkletName: 'Auf die Leseliste',
    bookmarkletHint: 'Zieh das in die Lesezeichenleiste. Ein Klick dort speichert die Seite, auf der du bist.',
    pictures: 'Bilder zeigen',
    picturesHint:
      'Bilder kommen von den Servern der Seiten selbst. Diese erfahren damit, dass jemand mit dieser Adresse im Netz den Artikel auf einer Liste hat und wann er gezeigt wird.',
    install: 'Als App installieren',
    installHint: 'Dann kann das Teilen-Menü dieses Geräts auf die Liste speichern.',
    installManually: 'Das geht im Menü des Browsers („Installieren“ oder „Zum Startbildschirm“).',
  },
  importing: {
    heading: 'Importieren',
    hint: 'Die Exportdateien von Pocket, Instapaper, Raindrop, Pinboard, wallabag, Omnivore, Readwise Reader, Karakeep, GoodLinks, eines Browsers oder dieses Dienstes, auch als Zip-Datei, mehrere auf einmal.',
    choose: 'Dateien wählen',
    reading: 'Dateien werden gelesen …',
    formats: {
      pocket: 'Pocket',
      instapaper: 'Instapaper',
      bookmarks: 'Lesezeichen',
      lines: 'Leseliste',
      csv: 'Leseliste (CSV)',
      table: 'CSV mit einer Spalte „url“',
      urls: 'eine Adresse je Zeile',
      firefox: 'Lesezeichen von Firefox (JSON)',
      chrome: 'Lesezeichen von Chrome (JSON)',
    },
    unknownFormat: (understood) => `Das ist kein Export, der gelesen werden kann. Gelesen werden: ${understood}.`,
    unread: (count, names) =>
      `Nicht gelesen, weil es kein Export ist: ${names}${count > 5 ? ` und ${number(count - 5)} weitere` : ''}.`,
    unreadable: (file, reason) => `${file} lässt sich nicht lesen: ${reason}.`,
    stoppedAt: (reason) =>
      `Die Datei lässt sich nicht weiter lesen: ${reason}. Was davor steht, kann importiert werden.`,
    preview: (format, count) => `${format}: ${count === 1 ? '1 Eintrag' : `${number(count)} Einträge`}`,
    willAdd: 'Neu',
    willKnow: 'Schon auf der Liste',
    willRefuse: 'Nicht möglich',
    start: (count) => `${number(count)} Artikel importieren`,
    nothing: 'In dieser Datei ist nichts Neues.',
    progress: (done, total) => `${number(done)} von ${number(total)}`,
    stop: 'Anhalten',
    isRunning: 'Der Import läuft noch. Halte ihn erst an oder warte, bis er fertig ist.',
    finished: 'Import abgeschlossen',
    stopped: 'Import angehalten',
    added: 'Hinzugefügt',
    known: 'Schon auf der Liste',
    refused: 'Abgelehnt',
    sending: (sent, total, secondsLeft) =>
      `${number(sent)} von ${number(total)} gesendet${secondsLeft === undefined ? '' : `, noch ${secondsLeft < 60 ? 'weniger als eine Minute' : `etwa ${number(Math.round(secondsLeft / 60))} min`}`}`,
    pauses:
      'Alles ist auf diesem Gerät gespeichert. Wird diese Seite geschlossen, pausiert das Senden nur: Es geht weiter, wenn sie wieder geöffnet wird.',
    oneByOne:
      'Mit Name und Passwort werden Artikel einzeln gesendet. Mit einem Token oder einem Konto des Anmeldedienstes werden viele auf einmal gesendet, das geht schneller.',
    hide: 'Im Hintergrund weitermachen',
    place: ({ file, unit, number: at }) =>
      `${file === undefined ? '' : `${file}: `}${unit === 'line' ? 'Zeile' : 'Eintrag'} ${number(at)}`,
    moreRefused: (count) => `und ${number(count)} weitere`,
    again: 'Weitere Datei importieren',
    noPage: {
      none: 'keine Adresse',
      browser: 'eine Seite des Browsers selbst',
      search: 'eine Suche in den Lesezeichen des Browsers',
      script: 'ein Skript (Bookmarklet), keine Seite',
      file: 'eine Datei auf einem Computer',
      contents: 'Inhalt ohne Adresse',
      contact: 'die Adresse einer Person, nicht einer Seite',
    },
    leftOut: (fields) => `Ausgelassen, weil ein Artikel kein Feld dafür hat: ${fields}.`,
    leftOutOf: (field, count) => `${field} bei ${count === 1 ? '1 Eintrag' : `${number(count)} Einträgen`}`,
    undated: (count) =>
      `${count === 1 ? '1 Eintrag hat' : `${number(count)} Einträge haben`} kein lesbares Datum und ${count === 1 ? 'gilt' : 'gelten'} als jetzt hinzugefügt.`,
    fields: {
      tags: 'Schlagwörter',
      folder: 'Ordner',
      highlights: 'Markierungen',
      'second description': 'eine zweite Beschreibung',
      'the text of the page': 'der Text der Seite',
      'reading progress': 'Lesefortschritt',
      picture: 'ein Bild ohne vollständige Adresse',
      'second address': 'eine unvollständige zweite Adresse',
      'word count': 'eine Wortzahl, die keine Zahl ist',
      'other columns': 'weitere Spalten',
      'the end of a long text': 'das Ende eines langen Textes',
    },
  },
  exporting: {
    heading: 'Exportieren',
    hint: 'Alles, was auf diesem Gerät ist, in einer Datei.',
    lines: 'JSON-Zeilen (vollständig)',
    csv: 'CSV',
    bookmarks: 'Lesezeichen (HTML)',
    losses: {
      lines: 'Verliert nichts und lässt sich wieder importieren, wie es war.',
      csv: 'Verliert, wer einen Artikel hinzugefügt und gelesen hat, wann er gelesen wurde, den Titel der Seite selbst und Sekundenbruchteile.',
      bookmarks:
        'Behält Adresse, Titel, Auszug, Datum, ungelesen und Favorit von Webseiten und verliert den Rest, auch das Archiv.',
    },
  },
  help: {
    heading: 'Tastatur',
    action: 'Tastenkürzel',
    shortcuts: 'Einzelne Tasten als Kürzel verwenden',
    keys: {
      'j / k / ↓ / ↑': 'nächster, voriger Artikel',
      Enter: 'Einzelheiten',
      o: 'Artikel in neuem Tab öffnen',
      m: 'gelesen, ungelesen',
      e: 'archivieren oder zurückholen',
      f: 'Favorit oder nicht',
      r: 'umbenennen',
      '#': 'löschen',
      z: 'rückgängig',
      a: 'Artikel speichern',
      '/': 'suchen',
      'g u / g r / g f / g e / g a': 'Ungelesen, Gelesen, Favoriten, Archiv, Alle',
      '?': 'diese Hilfe',
      Esc: 'schließen, Suche verlassen',
    },
  },
};

/** The languages by their codes. */
export const LANGUAGES: Readonly<Record<string, Texts>> = { en, de };

/** The sentences in the language of the moment. */
export let t: Texts = en;
let code = 'en';
/** The browser's own form of that language, as the English-speaking countries write dates differently. */
let locale = code;

/** The code of the language of the moment. */
export const language = (): string => code;

/** Switches to a language; to English when there is no such one. */
export function setLanguage(wanted: string): void {
  code = wanted in LANGUAGES ? wanted : 'en';
  t = LANGUAGES[code]!;
  // Some systems give names that no formatter takes, such as "en-US@posix".
  locale = navigator.languages.find((name) => new RegExp(`^${code}(-[a-z\\d]+)*$`, 'i').test(name)) ?? code;
  document.documentElement.lang = code;
  document.documentElement.dir = t.direction;
}

/** Why something failed, in the language of the moment. */
export function reasonOf(error: unknown): string {
  if (isOutOfSpace(error)) return t.notices.full;
  if (error instanceof PartGoneError) return t.notices.partGone;
  return t.reason(
    typeof error === 'object' && error && 'message' in error ? (error as Failure) : { message: String(error) },
  );
}

/** The first of the browser's languages that there is. */
export const preferredLanguage = (): string =>
  navigator.languages.map((name) => name.slice(0, 2).toLowerCase()).find((name) => name in LANGUAGES) ?? 'en';

/** A number as people of the language write it. */
export function number(value: number): string {
  return value.toLocaleString(locale);
}

/** A day as people of the language write it; with the time when it is today. */
export function formatDate(timestamp: number): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return '';
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? formatTime(timestamp)
    : date.toLocaleDateString(locale, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** The time of day. */
export const formatTime = (timestamp: number): string =>
  new Date(timestamp).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });
