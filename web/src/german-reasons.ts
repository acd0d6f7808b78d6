/** What is known of a failure, with the error number and the field to blame if the service reported it. */
export interface Failure {
  /** In English. */
  message: string;
  errno?: number | undefined;
  field?: string | undefined;
  kind?: string | undefined;
}

/** Reasons by what is said in English; the first one counts. */
const REASONS_DE: readonly [pattern: RegExp, reason: string][] = [
  [/workbook/, 'eine Excel-Arbeitsmappe: speichere sie als CSV mit einer Spalte „url“'],
  [/file is empty/, 'die Datei ist leer'],
  [/URL/, 'keine vollständige Adresse'],
  [/longer|too long/, 'zu lang'],
  [/quoted field|quotation mark/, 'ein Anführungszeichen ohne Ende'],
  [/never closed/, 'ein Tag oder Kommentar ohne Ende'],
  [/more values/, 'mehr Werte als Spalten'],
  [/nested too deeply/, 'zu viele Elemente ineinander'],
  [/encrypted/, 'das Archiv ist verschlüsselt'],
  [/passwords/, 'Passwörter, keine Leseliste'],
  [/archive/, 'das Archiv ist beschädigt oder zu groß'],
  [/not JSON/, 'kein JSON'],
  [/account/, 'der Anfang des Exports fehlt'],
  [/missing/, 'fehlt'],
  [/limit of \d+ articles/, 'die Liste ist voll, lösche zuerst etwas'],
  [/quota/i, 'auf diesem Gerät ist kein Platz mehr'],
  [/not an? |range|NUL|empty/, 'kein gültiger Wert'],
];

/** Reasons by the number of the error and the field, by the number alone, or by the kind of error. */
const ERRORS_DE: Readonly<Record<string, string>> = {
  '104': 'dafür musst du angemeldet sein',
  '105': 'deine Anmeldung gilt nicht mehr',
  '106': 'das versteht der Dienst nicht',
  '107 *': 'kein gültiger Wert',
  '108 *': 'fehlt',
  '109 *': 'kein gültiger Wert',
  '109 url': 'keine vollständige Adresse, oder eine zu lange',
  '109 resolved_url': 'keine vollständige Adresse, oder eine zu lange',
  '109 preview': 'keine vollständige Adresse, oder eine zu lange',
  '109 title': 'zu lang',
  '109 resolved_title': 'zu lang',
  '110': 'kein Artikel dieses Dienstes',
  '111': 'das gibt es nicht mehr',
  '113': 'zu groß',
  '114': 'inzwischen auf einem anderen Gerät geändert',
  '115': 'das erlaubt der Dienst nicht',
  '117': 'zu viele Anfragen, versuche es später noch einmal',
  '121': 'das Token darf nur lesen, oder die Liste ist voll, oder der Dienst erlaubt es nicht',
  '122': 'die Seite steht schon auf der Liste',
  '201': 'der Dienst ist überlastet, versuche es später noch einmal',
  '202': 'der Dienst ist eingestellt',
  '999': 'im Dienst ist ein Fehler aufgetreten',
  network: 'der Dienst ist nicht erreichbar',
  protocol: 'statt des Dienstes hat etwas anderes geantwortet',
  busy: 'der Dienst ist überlastet, versuche es später noch einmal',
};

/** Why something failed: by the error's number and field if it has them. @param fieldNames in German, by their names in the protocol */
export function germanReason(
  { message, errno, field: named, kind }: Failure,
  fieldNames: Readonly<Record<string, string>>,
): string {
  const [, line, field = named, said] = /^(?:line (\d+): )?(?:([a-z_]+): )?(.*)$/s.exec(message)!;
  const known = ERRORS_DE[`${errno} ${named}`] ?? (named && ERRORS_DE[`${errno} *`]) ?? ERRORS_DE[errno ?? kind ?? ''];
  // Parsers, and this page's own checks, give no number.
  const own = REASONS_DE.find(([pattern]) => pattern.test(said!))?.[1];
  const reason = known || own || 'unbekannter Grund';
  const name = field && (field === 'url' ? 'Adresse' : (fieldNames[field] ?? field));
  return [line && `Zeile ${line}`, name, reason].filter(Boolean).join(': ');
}
