import { Transform } from 'class-transformer';
// From its own file: the whole package, with phone numbers of every locale, takes longer to load than everything else needed
// to report an invalid setting. tsconfig.json maps the types.
import { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
import { inWords } from './formats.js';

/** Describes a setting, besides its type and default. */
export interface SettingDetails {
  /** The property of `Settings`. */
  property: string;
  /** One line for `.env.example` and the documentation. */
  meaning: string;
  longest?: number;
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
  (target, name) => {
    const property = String(name);
    const { longest = 10_000 } = details;
    DEFINITIONS.set(property.replace(/[A-Z]/g, '_$&').toUpperCase(), { property, meaning, ...details });
    Check(`must have at most ${longest} characters`, (text) => [...text].length <= longest)(target, name);
  };

/** A text with which `problemOf` finds nothing wrong; what it finds is the message. */
export function Examined(problemOf: (text: string) => string | undefined): PropertyDecorator {
  // Anything but a text was right and has been converted, or is a default, and so is an empty text.
  const problemIn = (value: unknown) => (typeof value === 'string' && value !== '' ? problemOf(value) : undefined);
  const validate = (value: unknown) => problemIn(value) === undefined;
  return ValidateBy({ name: 'examined', validator: { validate, defaultMessage: (given) => problemIn(given?.value)! } });
}

/** A text that satisfies a predicate, which `read` then converts. */
export const Check =
  (message: string, isRight: (text: string) => boolean, read?: (text: string) => unknown): PropertyDecorator =>
  (target, name) => {
    Examined((text) => (isRight(text) ? undefined : message))(target, name);
    if (read) Transform(({ value }: { value: string }) => (isRight(value) ? read(value) : value))(target, name);
  };

/** An integer within bounds. */
export const WholeNumber = (least: number, most: number): PropertyDecorator =>
  Check(
    `must be an integer from ${least} to ${most}`,
    (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
    Number,
  );

/** `true`, `false`, `1` or `0`, in any case. */
export const Flag = (): PropertyDecorator =>
  Check(
    'must be true or false',
    (text) => /^(true|false|1|0)$/i.test(text),
    (text) => /^(true|1)$/i.test(text),
  );

/** One of the given words. */
export const OneOf = (...words: string[]): PropertyDecorator =>
  Check(`must be ${inWords(words, 'or')}`, (text) => words.includes(text));
