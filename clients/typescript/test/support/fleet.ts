import { randomUUID } from 'node:crypto';
import { startTcpProxy, type TcpProxy } from '../../../../test/support/servers/tcp-proxy.js';
import { type Conflict, createClient, openReadingList, type ReadingList, type Storage } from '../../src/index.js';
import { memoryStorage } from '../../src/storage/memory.js';
import type { EditKind, Fault, Step } from './history.js';
import { purgeTombstones } from './purge.js';
import { basic, type World } from './world.js';

const DAY = 86_400_000;
const SKEWS = [0, -400 * DAY, 90 * DAY];

/** An edit that a device acknowledged. */
export interface Acknowledged {
  step: number;
  device: number;
  url: string;
  field: string;
  to: unknown;
  /** What the device showed before. */
  before: unknown;
}

/** A device whose network breaks and whose process dies on order. */
export class FaultyDevice {
  list!: ReadingList;
  readonly told: Conflict[] = [];
  private readonly storage = memoryStorage();
  private life = { isOver: false };
  private fault: Fault | undefined;
  private requests = 0;

  constructor(
    private readonly index: number,
    private readonly proxy: TcpProxy,
    private readonly authorization: string,
  ) {}

  async open(): Promise<void> {
    const life = { isOver: false };
    this.life = life;
    this.list = await openReadingList({
      client: createClient({
        baseUrl: `http://127.0.0.1:${this.proxy.port}`,
        authorization: this.authorization,
        fetch: (input, init) => this.fetch(life, input as string, init!),
      }),
      storage: mortal(this.storage, life),
      device: `device ${this.index}`,
      now: () => Date.now() + SKEWS[this.index]!,
    });
    this.list.on('conflict', (conflict) => this.told.push(conflict));
  }

  /** Whether it was complete. */
  async sync(fault?: Fault): Promise<boolean> {
    this.fault = fault;
    this.requests = 0;
    const isComplete = await this.list.sync().then(
      () => true,
      () => false,
    );
    this.fault = undefined;
    await this.proxy.restore();
    if (this.life.isOver) await this.open();
    return isComplete;
  }

  private async fetch(life: { isOver: boolean }, url: string, init: RequestInit): Promise<Response> {
    if (life.isOver) throw new Error('killed');
    const kind = this.requests++ === this.fault?.request ? this.fault.kind : undefined;
    if (kind === 'cut before') void this.proxy.cutBeforeRequest(' HTTP/1.1');
    if (kind === 'cut after') void this.proxy.cutAfterRequest(' HTTP/1.1');
    if (kind === 'refuse') await this.proxy.refuse();
    if (kind === 'delay') this.proxy.delay(15);
    const response = await fetch(url, init);
    // The process dies between the service's work and the storage.
    if (kind === 'kill') life.isOver = true;
    if (life.isOver) throw new Error('killed');
    return response;
  }
}

/** A storage of a process that may die: then nothing reaches it any more. */
function mortal(storage: Storage, life: { isOver: boolean }): Storage {
  const check = () => {
    if (life.isOver) throw new Error('killed');
  };
  return {
    ...storage,
    load: async (keys) => (check(), storage.load(keys)),
    update: async (keys, change) => storage.update(keys, (current) => (check(), change(current))),
  };
}

/** Three devices of one user, each behind a proxy of its own, and an account of what they acknowledged. */
export class Fleet {
  readonly devices: FaultyDevice[] = [];
  readonly edits: Acknowledged[] = [];
  readonly removals: { step: number; device: number; url: string }[] = [];
  private proxies: TcpProxy[] = [];
  private counter = 0;

  private constructor(
    private readonly world: World,
    readonly authorization: string,
  ) {}

  static async start(world: World, isBearer: boolean): Promise<Fleet> {
    const fleet = new Fleet(world, isBearer ? await world.bearer() : basic(randomUUID()));
    for (let index = 0; index < SKEWS.length; index++) {
      const proxy = await startTcpProxy(Number(new URL(world.service.url).port));
      fleet.proxies.push(proxy);
      const device = new FaultyDevice(index, proxy, fleet.authorization);
      await device.open();
      fleet.devices.push(device);
    }
    return fleet;
  }

  async close(): Promise<void> {
    for (const { list } of this.devices) await list.close();
    for (const proxy of this.proxies) await proxy.close();
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const [index, step] of steps.entries()) await this.take(index, step);
  }

  private async take(index: number, step: Step): Promise<void> {
    if (step.type === 'purge') return purgeTombstones(this.world.database.url);
    const device = this.devices[step.device]!;
    if (step.type === 'sync') return void (await device.sync(step.fault));
    if (step.type === 'undo') return void (await device.list.undoRemove());
    const url = `https://example.com/${step.type === 'add' ? step.url : step.article}`;
    const known = await device.list.get({ url });
    if (step.type === 'add') {
      if (known) return;
      const title = `title ${++this.counter}`;
      await device.list.add({ url, title });
      this.edits.push({ step: index, device: step.device, url, field: 'title', to: title, before: undefined });
      return;
    }
    if (!known) return;
    if (step.type === 'remove') {
      await device.list.remove(known.key);
      this.removals.push({ step: index, device: step.device, url });
      return;
    }
    const { field, to } = await this.edit(device.list, known.key, step.edit, step.value);
    const before = known[field as keyof typeof known];
    if (before !== to) this.edits.push({ step: index, device: step.device, url, field, to, before });
  }

  private async edit(list: ReadingList, key: string, kind: EditKind, value: number) {
    const title = `title ${this.counter + 1}`;
    const isOn = value % 2 === 0;
    switch (kind) {
      case 'rename':
        this.counter++;
        await list.rename(key, title);
        return { field: 'title', to: title };
      case 'favorite':
        await list.favorite(key, isOn);
        return { field: 'favorite', to: isOn };
      case 'archive':
        await list.archive(key, isOn);
        return { field: 'archived', to: isOn };
      case 'markRead':
        await list.markRead(key);
        return { field: 'unread', to: false };
      case 'markUnread':
        await list.markUnread(key);
        return { field: 'unread', to: true };
      case 'setReadPosition':
        await list.setReadPosition(key, value * 10);
        return { field: 'read_position', to: value * 10 };
    }
  }
}

/**
 * Acknowledged edits that are neither in the final list nor told nor overwritten by somebody who had seen them. Titles are
 * unique, so that who had seen whose is known; of other fields those count that only one device ever touched.
 */
export function missingEdits(fleet: Fleet, final: Record<string, unknown>[]): Acknowledged[] {
  const told = fleet.devices.flatMap((device) => device.told);
  const isTold = ({ url, field, to }: Acknowledged) =>
    told.some((conflict) => conflict.url === url && conflict.lost[field as keyof typeof conflict.lost] === to);
  const titles = new Map(fleet.edits.filter(({ field }) => field === 'title').map(({ to, before }) => [to, before]));
  const isSeenBy = (title: unknown, last: unknown) => {
    for (let current: unknown = last; current !== undefined; current = titles.get(current))
      if (current === title) return true;
    return false;
  };
  return fleet.edits.filter((edit) => {
    const article = final.find(({ url }) => url === edit.url);
    const removals = fleet.removals.filter(({ url }) => url === edit.url);
    if (isTold(edit)) return false;
    // Whoever removed it afterwards, or on the same device, meant to.
    if (removals.some(({ step, device }) => step > edit.step || device === edit.device)) return false;
    if (edit.field === 'title') {
      const later = [...titles.keys()].filter((title) => isSeenBy(edit.to, title));
      const isOverwritten = later.some(
        (title) => title === article?.title || told.some(({ lost }) => lost.title === title),
      );
      return !isOverwritten;
    }
    if (removals.length > 0) return false;
    if (!article) return true;
    const others = fleet.edits.filter(({ url, field }) => url === edit.url && field === edit.field);
    if (edit.field === 'read_position') return isPositionMissing(fleet, edit, article);
    if (others.some(({ device }) => device !== edit.device)) return false;
    return others.at(-1) === edit && article[edit.field] !== edit.to;
  });
}

/** The higher position wins, unless the article was marked unread meanwhile. */
function isPositionMissing(fleet: Fleet, edit: Acknowledged, article: Record<string, unknown>): boolean {
  const isReset = fleet.edits.some(({ url, field, to }) => url === edit.url && field === 'unread' && to === true);
  return !isReset && (article.read_position as number) < (edit.to as number);
}
