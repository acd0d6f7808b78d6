export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The document itself, if it is a list. */
export const listOf = (document: unknown): readonly unknown[] | undefined =>
  Array.isArray(document) ? document : undefined;

/** The list that is a member of the document. */
export const membersOf =
  (name: string) =>
  (document: unknown): readonly unknown[] | undefined =>
    isObject(document) ? listOf(document[name]) : undefined;

/**
 * The leaves of a tree that have an address, in their order; `folder` is the name of the folder that one is in, except for those that a browser
 * begins with. Without recursion, as a file may be of any depth.
 */
export function treeOf(root: JsonObject, address: string): JsonObject[] {
  const leaves: JsonObject[] = [];
  const open = [{ node: root, level: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, level } = next;
    const children = listOf(node.children);
    if (!children) {
      if (Object.hasOwn(node, address)) leaves.push(node);
      continue;
    }
    const folder = level > 1 ? (node.title ?? node.name ?? 'folder') : undefined;
    const inside = children
      .filter(isObject)
      .map((child) => ({ node: child.children ? child : { ...child, folder }, level: level + 1 }));
    for (const child of inside.reverse()) open.push(child);
  }
  return leaves;
}

/** The value at a path of own members. */
export function valueAt(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), object);
}
