import { describe, expect, it } from 'vitest';
import type { Article, Draft } from '../../src/article.js';
import { ReadingListError } from '../../src/errors.js';
import { draftOf } from '../../src/replica/checks.js';
import { edited, type Edits, type Entry, isPending, patchOf, sending, visible } from '../../src/replica/entry.js';
import { adopt, fold, merge, mergeDeletion, refuseDraft, refusePatch, settle } from '../../src/replica/merge.js';

const ADDED = { url: 'https://example.com/', title: 'Title' };

const record = (fields: Partial<Article> = {}): Article => ({
  ...draftOf(ADDED, { device: 'phone', now: 1 }),
  id: 'id',
  last_modified: 1,
  stored_on: 1,
  ...fields,
});

const draft = (fields: Partial<Draft> = {}): Draft => ({
  ...draftOf(ADDED, { device: 'laptop', now: 5 }),
  ...fields,
});

const page = { title: 'Title', resolved_title: 'Title - Example', resolved_url: 'https://example.com/title' };
const marks = { marked_read_by: 'laptop', marked_read_on: 9 };
const edit = (entry: Entry, ...fields: Partial<Draft>[]) =>
  fields.reduce((current, field) => edited(current, field, marks), entry);
const isNoted = (edits: Edits | undefined) =>
  Object.fromEntries(Object.entries(edits ?? {}).map(([f, e]) => [f, e.to]));

describe('an edited record that changed on the server meanwhile', () => {
  const cases: [
    name: string,
    base: Partial<Article>,
    edits: Partial<Draft>[],
    server: Partial<Article>,
    pending: object,
    seen: Partial<Article>,
    lost?: object,
  ][] = [
    [
      'other fields: both survive',
      {},
      [{ favorite: true }],
      { title: 'New' },
      { favorite: true },
      { favorite: true, title: 'New' },
    ],
    ['the same value: done', {}, [{ title: 'New' }], { title: 'New' }, {}, { title: 'New' }],
    [
      "another title: the server's stays, ours is told",
      {},
      [{ title: 'Mine' }],
      { title: 'Theirs' },
      {},
      { title: 'Theirs' },
      { title: 'Mine' },
    ],
    [
      'one field of two in conflict',
      {},
      [{ title: 'Mine' }, { archived: true }],
      { title: 'Theirs' },
      { archived: true },
      { archived: true, title: 'Theirs' },
      { title: 'Mine' },
    ],
    [
      'both read it: the first marks stay',
      {},
      [{ unread: false }],
      { unread: false, marked_read_by: 'phone', marked_read_on: 3 },
      {},
      { unread: false, marked_read_by: 'phone' },
    ],
    ['a higher position on the server', {}, [{ read_position: 10 }], { read_position: 20 }, {}, { read_position: 20 }],
    [
      'a lower position on the server',
      {},
      [{ read_position: 30 }],
      { read_position: 20 },
      { read_position: 30 },
      { read_position: 30 },
    ],
    [
      'unread here, read on there: both survive',
      { unread: false, read_position: 5 },
      [{ unread: true }],
      { unread: false, read_position: 50 },
      { unread: true, read_position: 50 },
      { unread: true, read_position: 50 },
    ],
    [
      'unread there, read on here: both survive',
      { unread: false, read_position: 5 },
      [{ read_position: 60 }],
      { unread: true, read_position: 0 },
      { read_position: 60 },
      { unread: true, read_position: 60 },
    ],
    [
      'set and set back here, set there',
      {},
      [{ favorite: true }, { favorite: false }],
      { favorite: true },
      {},
      { favorite: true },
    ],
    ['a null title against a new one', {}, [{ title: null }], { title: 'New' }, {}, { title: 'New' }, { title: null }],
  ];
  it.each(cases)('%s', (_, base, edits, server, pending, seen, lost) => {
    const outcome = merge(
      edit({ key: 'k', base: record(base) }, ...edits),
      record({ ...base, last_modified: 2, ...server }),
    );
    expect(isNoted(outcome.entry!.edits)).toEqual(pending);
    expect(visible(outcome.entry!)).toMatchObject(seen);
    expect(outcome.conflict?.lost).toEqual(lost);
    if (lost) expect(outcome.conflict).toMatchObject({ kind: 'merged', key: 'k', url: 'https://example.com/' });
  });
});

describe('a PATCH without an answer, and a newer version', () => {
  const cases: [
    name: string,
    edits: Partial<Draft>[],
    after: Partial<Draft>[],
    server: Partial<Article>,
    pending: object,
    lost?: object,
  ][] = [
    ['has our value: it had arrived', [{ favorite: true }], [], { favorite: true }, {}],
    ['has another field changed: it had not', [{ favorite: true }], [], { title: 'New' }, { favorite: true }],
    [
      'has one of two: it had arrived and the other was undone, or it had not and another device did the same; told',
      [{ favorite: true }, { archived: true }],
      [],
      { archived: true },
      {},
      { favorite: true },
    ],
    [
      'has one of two, and the other has a newer edit',
      [{ title: 'A' }, { archived: true }],
      [{ title: 'B' }],
      { archived: true },
      { title: 'B' },
    ],
    ['looks as before: made and undone; told', [{ favorite: true }], [], {}, {}, { favorite: true }],
    [
      'has what was sent, but there is a newer edit',
      [{ title: 'A' }],
      [{ title: 'B' }],
      { title: 'A' },
      { title: 'B' },
    ],
    [
      'has neither what was sent nor the newer edit',
      [{ title: 'A' }],
      [{ title: 'B' }],
      { title: 'C' },
      {},
      { title: 'B' },
    ],
    ['was taken back here since', [{ favorite: true }], [{ favorite: false }], { favorite: true }, { favorite: false }],
  ];
  it.each(cases)('%s', (_, edits, after, server, pending, lost) => {
    const before = edit({ key: 'k', base: record() }, ...edits);
    const outcome = merge(edit(sending(before, patchOf(before)), ...after), record({ last_modified: 2, ...server }));
    expect(isNoted(outcome.entry!.edits)).toEqual(pending);
    expect(outcome.conflict?.lost).toEqual(lost);
  });

  it('is tried again when the version is the same', () => {
    const before = edit({ key: 'k', base: record() }, { favorite: true });
    const outcome = merge(sending(before, patchOf(before)), record());
    expect(isNoted(outcome.entry!.edits)).toEqual({ favorite: true });
  });
});

describe('the same URL on two devices', () => {
  const cases: [
    name: string,
    mine: Partial<Draft>,
    theirs: Partial<Article>,
    seen: Partial<Article>,
    pending: string[],
    lost?: object,
  ][] = [
    ['nothing but the address', {}, {}, { added_by: 'phone' }, []],
    [
      'read here',
      { unread: false, ...marks, read_position: 7 },
      {},
      { unread: false, marked_read_by: 'laptop', read_position: 7 },
      ['unread', 'read_position'],
    ],
    [
      'read there',
      {},
      { unread: false, marked_read_by: 'phone', read_position: 9 },
      { unread: false, marked_read_by: 'phone', read_position: 9 },
      [],
    ],
    [
      'favourite here, archived there',
      { favorite: true },
      { archived: true },
      { favorite: true, archived: true },
      ['favorite'],
    ],
    [
      'archived here, favourite there',
      { archived: true },
      { favorite: true },
      { favorite: true, archived: true },
      ['archived'],
    ],
    ['the higher position', { read_position: 3 }, { read_position: 8 }, { read_position: 8 }, []],
    ['another title: told', { title: 'Mine', resolved_title: 'Mine' }, {}, { title: 'Title' }, [], { title: 'Mine' }],
    ['a title where there was none', {}, { title: null }, { title: 'Title' }, ['title']],
    [
      'an excerpt where there was none',
      { excerpt: 'text', word_count: 1 },
      {},
      { excerpt: 'text', word_count: 1 },
      ['excerpt', 'word_count'],
    ],
    [
      'what the page says, where only the address was saved',
      { ...page, word_count: 1, excerpt: 'text', is_article: false },
      { title: null, resolved_title: null },
      { ...page, word_count: 1, excerpt: 'text', is_article: false },
      ['title', 'resolved_title', 'resolved_url', 'excerpt', 'word_count', 'is_article'],
    ],
    [
      "the page's own title, where there is one of a person",
      { resolved_title: page.resolved_title },
      { resolved_title: 'Title' },
      { title: 'Title', resolved_title: page.resolved_title },
      ['resolved_title'],
    ],
    [
      'another address behind it: told',
      { resolved_url: 'https://example.com/mine' },
      { resolved_url: 'https://example.com/theirs' },
      { resolved_url: 'https://example.com/theirs' },
      [],
      { resolved_url: 'https://example.com/mine' },
    ],
    [
      'another excerpt: told',
      { excerpt: 'mine' },
      { excerpt: 'theirs' },
      { excerpt: 'theirs' },
      [],
      { excerpt: 'mine' },
    ],
    [
      'a picture, which cannot be set any more: told',
      { preview: 'https://p/' },
      {},
      { preview: null },
      [],
      { preview: 'https://p/' },
    ],
  ];
  it.each(cases)('%s', (_, mine, theirs, seen, pending, lost) => {
    const { entry, conflict } = adopt({ key: 'k', draft: draft(mine) }, record(theirs));
    expect(visible(entry!)).toMatchObject({ key: 'k', id: 'id', ...seen });
    expect(Object.keys(entry!.edits!).sort()).toEqual([...pending].sort());
    expect(conflict?.lost).toEqual(lost);
  });

  it('added and removed here before anybody saw it: the other one stays, under a key of its own', () => {
    expect(adopt({ key: 'k', draft: draft(), sent: draft(), removal: { order: 1 } }, record())).toEqual({
      entry: undefined,
    });
  });
});

describe('the record that this device created, when it did not hear so', () => {
  const cases: [
    name: string,
    sent: Partial<Draft>,
    now: Partial<Draft>[],
    server: Partial<Article>,
    pending: object,
    lost?: object,
  ][] = [
    ['is what was sent', {}, [], {}, {}],
    ['with edits since', {}, [{ title: 'B' }, { favorite: true }], {}, { title: 'B', favorite: true }],
    ['with edits of others since', {}, [{ favorite: true }], { title: 'C' }, { favorite: true }],
    ['with the same field edited on both sides', {}, [{ title: 'B' }], { title: 'C' }, {}, { title: 'B' }],
    [
      'read and unread again since',
      { unread: false, read_position: 5 },
      [{ unread: true }],
      { unread: false, read_position: 5 },
      { unread: true },
    ],
    ['read on since', { read_position: 5 }, [{ read_position: 9 }], { read_position: 5 }, { read_position: 9 }],
  ];
  it.each(cases)('%s', (_, sent, now, server, pending, lost) => {
    const original = draft(sent);
    const entry = edit({ key: 'k', draft: original, sent: original }, ...now);
    const own = { added_by: 'laptop', added_on: 5, last_modified: 7, ...sent };
    const { entry: adopted, conflict } = adopt(entry, record({ ...own, ...server }));
    expect(isNoted(adopted!.edits)).toEqual(pending);
    expect(conflict?.lost).toEqual(lost);
    expect(adopted).not.toHaveProperty('draft');
    expect(adopted).not.toHaveProperty('sent');
  });

  it('removed here since: the removal goes on', () => {
    const outcome = adopt(
      { key: 'k', draft: draft(), sent: draft(), removal: { order: 1 } },
      record({ added_by: 'laptop', added_on: 5 }),
    );
    expect(outcome.entry).toMatchObject({ base: { id: 'id' }, removal: { order: 1 } });
  });
});

describe('deletions', () => {
  it('win over edits, which are told', () => {
    const entry = edit({ key: 'k', base: record() }, { title: 'Mine' }, { read_position: 4 });
    expect(mergeDeletion(entry)).toMatchObject({
      entry: undefined,
      conflict: { kind: 'deleted-remotely', lost: { title: 'Mine', read_position: 4 } },
    });
  });
  it('of what was not edited tell nothing', () => {
    expect(mergeDeletion({ key: 'k', base: record() }).conflict).toBeUndefined();
  });
  it('on both sides tell nothing', () => {
    const entry = edit({ key: 'k', base: record(), removal: { order: 1 } }, { title: 'Mine' });
    expect(mergeDeletion(entry).conflict).toBeUndefined();
  });
  it('here win over edits there, which are told', () => {
    const outcome = merge(
      { key: 'k', base: record(), removal: { order: 3, sent: true } },
      record({ last_modified: 2, favorite: true }),
    );
    expect(outcome.conflict).toMatchObject({ kind: 'deleted-here-edited-remotely', lost: { favorite: true } });
    expect(outcome.entry).toMatchObject({ removal: { order: 3 }, base: { last_modified: 2 } });
    expect(outcome.entry!.removal).not.toHaveProperty('sent');
  });
  it("do not take this device's own edit for that of another", () => {
    const entry = edit({ key: 'k', base: record() }, { favorite: true });
    const outcome = merge(
      { ...sending(entry, patchOf(entry)), removal: { order: 1 } },
      record({ last_modified: 2, favorite: true }),
    );
    expect(outcome.conflict).toBeUndefined();
  });
});

describe('a removal after an own edit that got no answer', () => {
  const base = record({ unread: false, read_position: 40, ...marks });
  const server = { last_modified: 2, unread: true, read_position: 0, marked_read_by: null, marked_read_on: null };
  it.each<[string, Partial<Draft>[]]>([
    ['unread', [{ unread: true }]],
    ['unread and read on', [{ unread: true }, { read_position: 10 }]],
    ['unread and read again', [{ unread: true }, { read_position: 10 }, { unread: false }]],
  ])('%s: tells nothing', (_, edits) => {
    const entry = edit({ key: 'k', base }, edits[0]!);
    const sent = edit(sending(entry, patchOf(entry)), ...edits.slice(1));
    expect(merge({ ...sent, removal: { order: 1 } }, record(server)).conflict).toBeUndefined();
  });
  it('tells that another device marked it unread', () => {
    const outcome = merge({ key: 'k', base, removal: { order: 1 } }, record(server));
    expect(outcome.conflict).toMatchObject({ kind: 'deleted-here-edited-remotely', lost: { unread: true } });
  });
});

describe('becoming unread resets the position, in two steps where one will not do', () => {
  const base = record({ unread: false, read_position: 40, ...marks });
  it('sends a position that was reached afterwards only once the reset is done', () => {
    const entry = edit({ key: 'k', base }, { unread: true }, { read_position: 10 });
    expect(visible(entry)).toMatchObject({ unread: true, read_position: 10, marked_read_by: null });
    expect(patchOf(entry)).toEqual({ unread: true });
    const next = settle(entry, { unread: true }, record({ last_modified: 2, unread: true, read_position: 0 }));
    expect(patchOf(next)).toEqual({ read_position: 10 });
  });
  it('makes an unread article read first, if it was read and unread again here', () => {
    const entry = edit({ key: 'k', base: record({ read_position: 40 }) }, { unread: false }, { unread: true });
    expect(visible(entry)).toMatchObject({ unread: true, read_position: 0, pending: true });
    expect(patchOf(entry)).toMatchObject({ unread: false });
    const next = settle(entry, patchOf(entry), record({ last_modified: 2, unread: false, read_position: 40 }));
    expect(patchOf(next)).toEqual({ unread: true });
    const done = settle(next, { unread: true }, record({ last_modified: 3, unread: true }));
    expect(isPending(done)).toBe(false);
    expect(visible(done).read_position).toBe(0);
  });
  it('is nothing to send when there is nothing to reset', () => {
    expect(isPending(edit({ key: 'k', base: record() }, { unread: false }, { unread: true }))).toBe(false);
  });
});

describe('edits of a draft are part of it', () => {
  it('with the states of the service', () => {
    const read = edit({ key: 'k', draft: draft() }, { read_position: 5 }, { unread: false });
    expect(read.draft).toMatchObject({ unread: false, read_position: 5, ...marks });
    const unread = edit(read, { unread: true });
    expect(unread.draft).toMatchObject({ unread: true, read_position: 0, marked_read_by: null, marked_read_on: null });
  });
  it('that change nothing leave the entry as it is', () => {
    const entry: Entry = { key: 'k', draft: draft({ read_position: 5 }) };
    expect(edit(entry, { unread: true }, { title: 'Title' }, { read_position: 4 })).toBe(entry);
  });
});

describe('a refusal', () => {
  const error = (field?: string) =>
    new ReadingListError('refused', `${field ?? 'that'}: no`, { status: 400, errno: 109, field });
  it('that names a field gives up that field only', () => {
    const entry = edit({ key: 'k', base: record() }, { title: 'Mine' }, { favorite: true });
    const { entry: left, conflict } = refusePatch(entry, patchOf(entry), error('title'));
    expect(isNoted(left!.edits)).toEqual({ favorite: true });
    expect(conflict).toMatchObject({ kind: 'refused', lost: { title: 'Mine' }, reason: 'title: no', errno: 109 });
  });
  it('of another field leaves an article that was read and marked unread again to be reset', () => {
    const read = { key: 'k', base: record({ read_position: 40 }) };
    const entry = edit(read, { unread: false }, { unread: true }, { title: 'Mine' });
    const { entry: left } = refusePatch(sending(entry, patchOf(entry)), patchOf(entry), error('title'));
    expect(patchOf(left!)).toMatchObject({ unread: false });
    const reset = settle(
      left!,
      patchOf(left!),
      record({ ...marks, unread: false, read_position: 40, last_modified: 2 }),
    );
    expect(patchOf(reset)).toEqual({ unread: true });
  });
  it('that names none gives up what was sent', () => {
    const entry = edit({ key: 'k', base: record() }, { title: 'Mine' }, { favorite: true });
    expect(refusePatch(entry, patchOf(entry), error())).toMatchObject({
      entry: { edits: {} },
      conflict: { lost: { title: 'Mine', favorite: true } },
    });
  });
  it('of a value that has a later one leaves the later one to be sent', () => {
    const before = edit({ key: 'k', base: record() }, { title: 'Refused' }, { favorite: true });
    const body = patchOf(before);
    const entry = edit(sending(before, body), { title: 'Corrected' });
    for (const [field, left] of [
      ['title', { title: 'Corrected', favorite: true }],
      [undefined, { title: 'Corrected' }],
    ] as const) {
      const outcome = refusePatch(entry, body, error(field));
      expect(isNoted(outcome.entry!.edits)).toEqual(left);
      expect(outcome.conflict?.lost).toEqual(field ? undefined : { favorite: true });
      expect(patchOf(outcome.entry!)).toEqual(left);
    }
  });
  it('of a draft that was corrected since leaves the corrected one to be sent', () => {
    const sent = draft({ title: 'Refused' });
    const entry = edit({ key: 'k', draft: sent, sent }, { title: 'Corrected' });
    for (const field of ['title', 'url', undefined]) {
      const outcome = refuseDraft(entry, error(field));
      expect(outcome).toEqual({ entry: { key: 'k', draft: { ...sent, title: 'Corrected' } } });
      expect(refuseDraft(outcome.entry!, error('url'))).toMatchObject({ entry: undefined });
    }
  });
  it('of a field that a draft can do without keeps the draft', () => {
    const outcome = refuseDraft({ key: 'k', draft: draft({ preview: 'https://p/' }) }, error('preview'));
    expect(outcome).toMatchObject({
      entry: { draft: { preview: null } },
      conflict: { lost: { preview: 'https://p/' } },
    });
  });
  it('of the draft as such gives it up and tells all of it', () => {
    const outcome = refuseDraft({ key: 'k', draft: draft() }, error('url'));
    expect(outcome).toMatchObject({
      entry: undefined,
      conflict: { kind: 'refused', lost: { url: 'https://example.com/' } },
    });
  });
});

it('an article that is here twice becomes one that both keys lead to, with the edits of both', () => {
  const one = edit({ key: 'one', base: record() }, { favorite: true });
  const two = edit({ key: 'two', base: record(), aliases: ['older'] }, { archived: true });
  const folded = fold(one, two).entry!;
  expect(folded).toMatchObject({ key: 'one', aliases: ['two', 'older'] });
  expect(isNoted(folded.edits)).toEqual({ favorite: true, archived: true });
});

it('where both changed a field, the first title stays and the other is told, and the higher position stays', () => {
  const one = edit({ key: 'one', base: record() }, { title: 'One' }, { read_position: 10 });
  const two = edit({ key: 'two', base: record() }, { title: 'Two' }, { read_position: 30 });
  const { entry, conflict } = fold(one, two);
  expect(isNoted(entry!.edits)).toEqual({ title: 'One', read_position: 30 });
  expect(conflict).toMatchObject({ kind: 'merged', lost: { title: 'Two' } });
});

it('marked unread and read on here, read further elsewhere: unread, at the higher position', () => {
  const entry = edit(
    { key: 'k', base: record({ unread: false, read_position: 5 }) },
    { unread: true },
    { read_position: 10 },
  );
  const { entry: merged } = merge(entry, record({ unread: false, read_position: 60, last_modified: 2 }));
  expect(visible(merged!)).toMatchObject({ unread: true, read_position: 60 });
});

it('two devices that add the same URL with the same name and time are two', () => {
  const both = draft({ added_by: 'import', added_on: 1_000 });
  const { entry } = adopt({ key: 'k', draft: { ...both, favorite: true } }, record({ ...both, last_modified: 2 }));
  expect(visible(entry!)).toMatchObject({ favorite: true });
  expect(isPending(entry!)).toBe(true);
});
