import { Transform } from 'class-transformer';
// The rules of class-validator that settings need, each from its own file: the whole package, with phone numbers of every
// locale, takes longer to load than everything else needed to report an invalid setting. tsconfig.json maps their types.
import { IsIn } from 'class-validator/cjs/decorator/common/IsIn.js';
import { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
import { Max } from 'class-validator/cjs/decorator/number/Max.js';
import { Min } from 'class-validator/cjs/decorator/number/Min.js';
import { MaxLength } from 'class-validator/cjs/decorator/string/MaxLength.js';
import { IsBoolean } from 'class-validator/cjs/decorator/typechecker/IsBoolean.js';
import { IsInt } from 'class-validator/cjs/decorator/typechecker/IsInt.js';

/** Describes a setting, besides its type and default. */
export interface SettingDetails {
  /** The property of `Settings`. */
  property: string;
  /** One line for `.env.example` and the documentation. */
  meaning: string;
  /** The value is never shown. */
  secret?: boolean;
  /** The heading of the group that starts with this setting. */
  group?: string;
  /** The documentation's text for a default that depends on other settings. */
  defaultText?: string;
  /** What `.env.example`, the beginning of a production's settings, says instead of the default, and why. */
  example?: { value: string; reason: string };
}

/** All settings by the names of their variables, in the order of their definition. */
export const DEFINITIONS = new Map<string, SettingDetails>();

/** Declares a property of `Settings` as a setting, whose variable is the name in capital letters. */
export const Setting =
  (meaning: string, details: Omit<SettingDetails, 'meaning' | 'property'> = {}): PropertyDecorator =>
  (_target, name) => {
    const property = String(name);
    DEFINITIONS.set(property.replace(/[A-Z]/g, '_$&').toUpperCase(), { property, meaning, ...details });
  };

const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, name) =>
    decorators.forEach((decorate) => decorate(target, name));

const convert = (read: (text: string) => unknown): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => read(String(value)));

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** A whole number within bounds. */
export function WholeNumber(least: number, most: number): PropertyDecorator {
  const message = `must be ${least} to ${most}`;
  const number = convert((text) => (/^\d+$/.test(text) ? Number(text) : text));
  return all(number, Max(most, { message }), Min(least, { message }), IsInt({ message }));
}

/** `true`, `false`, `1` or `0`, in any case. */
export const Flag = (): PropertyDecorator =>
  all(
    convert((text) => (Object.hasOwn(BOOLEANS, text.toLowerCase()) ? BOOLEANS[text.toLowerCase()] : text)),
    IsBoolean({ message: 'must be true or false' }),
  );

/** One of the given words. */
export const OneOf = (...words: string[]): PropertyDecorator =>
  IsIn(words, { message: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` });

/** Any text up to a length. */
export const Text = (longest = 10_000): PropertyDecorator =>
  MaxLength(longest, { message: `must have at most ${longest} characters` });

/** Comma-separated items that each satisfy a predicate. */
export const ListOf = (isRight: (item: string) => boolean, message: string): PropertyDecorator =>
  all(
    convert((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
    Examined((items: string[]) => (items.every(isRight) ? undefined : message)),
  );

/** Nothing, or a text that satisfies a predicate, which `read` then converts. */
export const Check = (
  message: string,
  isRight: (text: string) => boolean,
  read?: (text: string) => unknown,
): PropertyDecorator =>
  all(
    ...(read ? [convert((text) => (isRight(text) ? read(text) : text))] : []),
    Examined((value) => (typeof value !== 'string' || value === '' || isRight(value) ? undefined : message)),
  );

/** A value that a function finds nothing wrong with; what it finds is the message. */
export const Examined = <T>(problemOf: (value: T) => string | undefined): PropertyDecorator =>
  ValidateBy({
    name: 'examined',
    validator: {
      validate: (value: T) => problemOf(value) === undefined,
      defaultMessage: (given) => problemOf(given?.value as T) ?? '',
    },
  });
