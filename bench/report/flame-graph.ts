import { escape } from './chart.js';

/** The relevant part of a V8 `.cpuprofile`; times in microseconds. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
}

interface Frame {
  name: string;
  origin: Origin;
  microseconds: number;
  callees: Map<string, Frame>;
}

type Origin = keyof typeof COLOURS;

const COLOURS = {
  service: '#f6ad55',
  packages: '#90cdf4',
  node: '#9ae6b4',
  'engine and system calls': '#cbd5e0',
};
const WIDTH = 1200;
const ROW = 16;
const TOP = 56;
const CHARACTER = 6.2;
/** The minimum width of a frame, in pixels. */
const NARROWEST = 1.5;
/** The maximum depth, because loading modules at the start nests very deeply. */
const MOST_ROWS = 36;

/** A profile as an SVG document: callers above callees; a frame's width is its share of the busy time. */
export function flameGraph(profile: CpuProfile, title: string): string {
  const root = mergeStacks(profile);
  const rows: string[] = [];
  const depth = draw(root, 0, 0, WIDTH / root.microseconds, rows);
  const legend = Object.entries(COLOURS).map(
    ([name, colour], at) =>
      `<rect x="${12 + at * 150}" y="32" width="10" height="10" fill="${colour}"/><text x="${27 + at * 150}" y="41">${name}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${TOP + depth * ROW + 8}" font-family="monospace" font-size="10">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    `<text x="12" y="20" font-family="sans-serif" font-size="14" font-weight="bold">${escape(title)}</text>`,
    ...legend,
    ...rows,
    '</svg>\n',
  ].join('\n');
}

/** The busy time of all samples by stack; functions with the same name and caller are one frame. */
function mergeStacks({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const times = new Map<number, number>();
  samples.forEach((id, at) => times.set(id, (times.get(id) ?? 0) + timeDeltas[at]!));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const root: Frame = { name: 'all', origin: 'engine and system calls', microseconds: 0, callees: new Map() };
  const add = (id: number, into: Frame): number => {
    const { callFrame, children = [] } = byId.get(id)!;
    if (callFrame.functionName === '(idle)') return 0;
    const frame = calleeOf(into, callFrame.functionName || '(anonymous)', originOf(callFrame.url));
    const time = (times.get(id) ?? 0) + children.reduce((sum, child) => sum + add(child, frame), 0);
    frame.microseconds += time;
    return time;
  };
  root.microseconds = (nodes[0]!.children ?? []).reduce((sum, child) => sum + add(child, root), 0);
  return root;
}

function calleeOf({ callees }: Frame, name: string, origin: Origin): Frame {
  const key = `${origin} ${name}`;
  const known = callees.get(key);
  if (known) return known;
  const frame: Frame = { name, origin, microseconds: 0, callees: new Map() };
  callees.set(key, frame);
  return frame;
}

function originOf(url: string): Origin {
  if (url.includes('/node_modules/')) return 'packages';
  if (url.startsWith('node:')) return 'node';
  return url === '' ? 'engine and system calls' : 'service';
}

/** Adds the rectangles of a frame and its callees; returns their depth. */
function draw(frame: Frame, left: number, level: number, scale: number, rows: string[]): number {
  const width = frame.microseconds * scale;
  if (width < NARROWEST || level === MOST_ROWS) return level;
  const share = ((width / WIDTH) * 100).toFixed(1);
  const y = TOP + level * ROW;
  const label = frame.name.slice(0, Math.max(0, Math.floor((width - 4) / CHARACTER)));
  rows.push(
    `<g><title>${escape(frame.name)}: ${share} %</title>` +
      `<rect x="${left.toFixed(1)}" y="${y}" width="${(width - 0.5).toFixed(1)}" height="${ROW - 1}" fill="${COLOURS[frame.origin]}"/>` +
      `${label.length > 2 ? `<text x="${(left + 2).toFixed(1)}" y="${y + 11}">${escape(label)}</text>` : ''}</g>`,
  );
  let deepest = level + 1;
  for (const callee of [...frame.callees.values()].sort((a, b) => b.microseconds - a.microseconds)) {
    deepest = Math.max(deepest, draw(callee, left, level + 1, scale, rows));
    left += callee.microseconds * scale;
  }
  return deepest;
}
