import type { Answer, Device } from './device.js';

/** An action of devices; resolves with its last response. */
export interface Action {
  name: string;
  /** The relative frequency. */
  weight: number;
  /** Statuses that are not errors, as devices of one user may conflict. */
  statuses: number[];
  run(device: Device): Promise<Answer>;
}

const MAX_KNOWN = 200;

const anArticle = (device: Device, n = device.next()) => ({
  url: `https://example.com/${device.name}/${n}`,
  title: `Article ${n} of ${device.name}`,
  added_by: device.name,
  excerpt: 'What the article says in its first lines. '.repeat(6),
});

const someId = (device: Device): string | undefined => device.ids[Math.floor(Math.random() * device.ids.length)];

async function create(device: Device): Promise<Answer> {
  const answer = await device.send('POST', '/articles', anArticle(device));
  remember(device, answer.body.id);
  return answer;
}

function remember(device: Device, id: string | undefined): void {
  if (id !== undefined) device.ids.push(id);
  if (device.ids.length > MAX_KNOWN) device.ids.shift();
}

/** Changes one of the articles that the device knows. */
const change = (fields: (device: Device) => object, headers: Record<string, string> = {}) => {
  return (device: Device): Promise<Answer> => {
    const id = someId(device);
    return id === undefined ? create(device) : device.send('PATCH', `/articles/${id}`, fields(device), headers);
  };
};

const CHANGED = [200, 201, 404];

/** The mixture, weights in percent. */
export const ACTIONS: readonly Action[] = [
  {
    name: 'poll',
    weight: 30,
    statuses: [200, 304],
    run: (device) =>
      device.send('GET', `/articles?_since=${device.since}`, undefined, { 'If-Modified-Since': String(device.since) }),
  },
  {
    name: 'get what changed',
    weight: 8,
    statuses: [200],
    run: async (device) => {
      const answer = await device.send('GET', `/articles?_since=${device.since}&_limit=25`);
      for (const item of answer.body.items) if (!item.deleted) remember(device, item.id);
      device.since = Number(answer.headers['last-modified']);
      return answer;
    },
  },
  {
    name: 'filter and sort',
    weight: 6,
    statuses: [200],
    run: (device) => device.send('GET', '/articles?unread=true&_sort=-added_on&_limit=20'),
  },
  {
    name: 'page through',
    weight: 2,
    statuses: [200],
    run: async (device) => {
      let answer = await device.send('GET', '/articles?_limit=20');
      for (let page = 1; page < 4 && answer.headers['next-page']; page++)
        answer = await device.send('GET', `/articles${new URL(String(answer.headers['next-page'])).search}`);
      return answer;
    },
  },
  {
    name: 'list deleted',
    weight: 3,
    statuses: [200],
    run: (device) =>
      device.send('GET', `/articles?_since=${Math.max(0, device.since - 60_000)}&deleted=true&_limit=50`),
  },
  { name: 'count', weight: 5, statuses: [200], run: (device) => device.send('HEAD', '/articles?unread=true') },
  { name: 'create', weight: 12, statuses: [201], run: create },
  {
    name: 'batch create',
    weight: 2,
    statuses: [200],
    run: async (device) => {
      const requests = Array.from({ length: 5 }, () => ({ body: anArticle(device) }));
      const answer = await device.send('POST', '/batch', { defaults: { method: 'POST', path: '/articles' }, requests });
      for (const { body } of answer.body.responses ?? []) remember(device, body.id);
      return answer;
    },
  },
  { name: 'update', weight: 5, statuses: CHANGED, run: change((device) => ({ title: `Title ${device.next()}` })) },
  { name: 'read further', weight: 12, statuses: CHANGED, run: change((device) => ({ read_position: device.next() })) },
  {
    name: 'mark as read',
    weight: 5,
    statuses: CHANGED,
    run: change((device) => ({ unread: false, marked_read_by: device.name, marked_read_on: Date.now() })),
  },
  { name: 'archive', weight: 4, statuses: CHANGED, run: change(() => ({ archived: true })) },
  {
    name: 'conflict',
    weight: 3,
    statuses: [201, 404, 412],
    run: change((device) => ({ title: `Too late ${device.next()}` }), { 'If-Unmodified-Since': '1' }),
  },
  {
    name: 'delete',
    weight: 3,
    statuses: CHANGED,
    run: (device) => {
      const id = device.ids.shift();
      return id === undefined ? create(device) : device.send('DELETE', `/articles/${id}`);
    },
  },
];
