import fc from 'fast-check';

/** What happens in a history: to one of three devices, or to what is between it and the service. */
export type Step =
  | { type: 'add'; device: number; url: number; title: number }
  | { type: 'edit'; device: number; article: number; edit: EditKind; value: number }
  | { type: 'remove'; device: number; article: number }
  | { type: 'undo'; device: number }
  | { type: 'sync'; device: number; fault?: Fault }
  | { type: 'purge' };

export type EditKind = 'rename' | 'favorite' | 'archive' | 'markRead' | 'markUnread' | 'setReadPosition';

/** What breaks while a device syncs: at its n-th request. */
export interface Fault {
  kind: 'cut before' | 'cut after' | 'refuse' | 'delay' | 'kill';
  request: number;
}

const device = fc.nat({ max: 2 });
const EDITS: EditKind[] = ['rename', 'favorite', 'archive', 'markRead', 'markUnread', 'setReadPosition'];

const fault: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constantFrom<Fault['kind']>('cut before', 'cut after', 'cut after', 'refuse', 'delay', 'kill'),
  request: fc.nat({ max: 4 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('add' as const),
      device,
      url: fc.nat({ max: 3 }),
      title: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('edit' as const),
      device,
      article: fc.nat({ max: 3 }),
      edit: fc.constantFrom(...EDITS),
      value: fc.nat({ max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), device, article: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('undo' as const), device }) },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('sync' as const),
      device,
      fault: fc.option(fault, { nil: undefined, freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('purge' as const) }) },
);

/** A history of three devices. */
export const histories: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' });

/** One line for each step, so that a failing history can be read. */
export const told = (steps: Step[]): string => steps.map((one) => JSON.stringify(one)).join('\n');
