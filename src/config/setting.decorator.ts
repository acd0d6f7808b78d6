import { Transform } from 'class-transformer';
// The whole package takes longer to load than all else before an invalid setting is reported. tsconfig.json maps the types.
import { ValidateBy } from 'class-validator/cjs/decorator/common/ValidateBy.js';
import { inWords } from './formats.js';

interface Details {
  longest?: number;
  secret?: boolean;
  /** The heading of the group that starts with this setting. */
  group?: string;
  /** The documentation's text for a default that depends on other settings. */
  defaultText?: string;
  /** What `.env.example`, the beginning of a production's settings, says instead of the default, and why. */
  example?: { value: string; reason: string };
}

/** All settings by the names of their variables, in the order of their definition. */
export const DEFINITIONS = new Map<string, Details & { property: string; meaning: string }>();

/** Declares a property as a setting, with the name in capital letters; `meaning` is for `.env.example` and the documentation. */
export const Setting =
  (meaning: string, { longest = 10_000, ...details }: Details = {}, rule?: PropertyDecorator): PropertyDecorator =>
  (target, name) => {
    const property = String(name);
    DEFINITIONS.set(property.replace(/[A-Z]/g, '_$&').toUpperCase(), { property, meaning, ...details });
    rule?.(target, name);
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

/** A setting that is an integer within bounds. */
export function Integer(least: number, most: number, meaning: string, details?: Details): PropertyDecorator {
  const isRight = (text: string) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
  return Setting(meaning, details, Check(`must be an integer from ${least} to ${most}`, isRight, Number));
}

/** A setting that is `true`, `false`, `1` or `0`, in any case. */
export function Flag(meaning: string, details?: Details): PropertyDecorator {
  const isRight = (text: string) => /^(true|false|1|0)$/i.test(text);
  const isTrue = (text: string) => /^(true|1)$/i.test(text);
  return Setting(meaning, details, Check('must be true or false', isRight, isTrue));
}

/** One of the given words. */
export const OneOf = (...words: string[]): PropertyDecorator =>
  Check(`must be ${inWords(words, 'or')}`, (text) => words.includes(text));
