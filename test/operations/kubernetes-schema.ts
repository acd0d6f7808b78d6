import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { unpackNpmPackage } from '../support/npm-package.js';
import { buildOnce } from '../support/servers/cache-folder.js';
import { runCommand } from '../support/servers/command.js';
import type { Yaml } from './deployed-files.js';

/** The versions of `@kubernetes/client-node` that were generated from the API of these versions of Kubernetes; 1.35 has none. */
export const KUBERNETES = { '1.36': '2.0.1', '1.34': '1.4.0', '1.33': '1.3.0' };

/** Loads what is downloaded as it is: Vite would transform each of some hundred modules. */
const load = createRequire(import.meta.url);

interface Member {
  name: string;
  baseName: string;
  type: string;
}

interface Model {
  members: Map<string, Member>;
  required: string[];
}

const SCALARS: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  IntOrString: (value) => typeof value === 'number' || typeof value === 'string',
  any: () => true,
  object: (value) => typeof value === 'object',
};

/** What an API of Kubernetes takes: the members of each object, their types, and which are required. */
export class KubernetesSchema {
  private readonly models = new Map<string, Model>();

  private constructor(private readonly folder: string) {}

  static async of(version: keyof typeof KUBERNETES): Promise<KubernetesSchema> {
    const folder = await unpackNpmPackage('@kubernetes/client-node', KUBERNETES[version]);
    return new KubernetesSchema(join(folder, 'dist/gen/models'));
  }

  /** What is wrong with a manifest, each with its path. */
  violations(manifest: Yaml): string[] {
    const version = String(manifest.apiVersion).split('/').at(-1)!;
    const type = `${version[0]!.toUpperCase()}${version.slice(1)}${manifest.kind}`;
    return this.ofType(type, manifest, String(manifest.kind));
  }

  private ofType(type: string, value: unknown, path: string): string[] {
    const scalar = SCALARS[type];
    if (scalar) return scalar(value) ? [] : [`${path}: not a ${type}`];
    const array = /^Array<(.*)>$/.exec(type)?.[1];
    const values = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
    if (array && !Array.isArray(value)) return [`${path}: not a list`];
    if (typeof value !== 'object' || value === null) return [`${path}: not an object`];
    const inner = array ?? values;
    if (!inner) return this.ofModel(type, value, path);
    return Object.entries(value).flatMap(([key, each]) => this.ofType(inner, each, `${path}.${key}`));
  }

  private ofModel(type: string, value: object, path: string): string[] {
    const { members, required } = this.model(type);
    const missing = required.filter((name) => !(name in value)).map((name) => `${path}.${name}: missing`);
    const wrong = Object.entries(value).flatMap(([name, each]) => {
      const member = members.get(name);
      return member ? this.ofType(member.type, each, `${path}.${name}`) : [`${path}.${name}: unknown`];
    });
    return [...missing, ...wrong];
  }

  private model(type: string): Model {
    const known = this.models.get(type);
    if (known) return known;
    const module = load(join(this.folder, `${type}.js`)) as Record<string, { attributeTypeMap: Member[] }>;
    const members = module[type]!.attributeTypeMap;
    const declaration = readFileSync(join(this.folder, `${type}.d.ts`), 'utf8');
    const names = new Set([...declaration.matchAll(/^ {4}'(\w+)': /gm)].map(([, name]) => name));
    const model = {
      members: new Map(members.map((member) => [member.baseName, member])),
      required: members.filter(({ name }) => names.has(name)).map(({ baseName }) => baseName),
    };
    this.models.set(type, model);
    return model;
  }
}

const OPERATOR = '@kubernetes-models/prometheus-operator';

/** What the Prometheus operator finds wrong with a manifest: what is missing or of another type. */
export async function violationsForOperator(manifest: Yaml): Promise<string> {
  const folder = await buildOnce('prometheus-operator-models-6.0.0', async (partial) => {
    const words = ['install', '--prefix', partial, '--ignore-scripts', '--no-audit', '--no-fund', `${OPERATOR}@6.0.0`];
    await runCommand('npm', words);
  });
  const path = join(folder, 'node_modules', OPERATOR, String(manifest.apiVersion), `${manifest.kind}.js`);
  const module = load(path) as Record<string, new (data: Yaml) => { validate(): void }>;
  try {
    new module[String(manifest.kind)]!(manifest).validate();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
