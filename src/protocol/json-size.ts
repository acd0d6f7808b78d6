/** Far more than the largest batch of whole articles has; parsing so many takes some 50 ms. */
const MAX_VALUES = 200_000;
/** Four levels are useful; one more level takes ten times as long to parse as one more value on the same level. */
const MAX_DEPTH = 10_000;

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, BRACKET_END, BRACE_END] = [...'"\\,[{]}'].map((character) =>
  character.charCodeAt(0),
);

/** True for JSON with so many values or levels that parsing holds up others: a megabyte of brackets takes a second. */
export function isTooComplex(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false;
  let values = 0;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) at += code === BACKSLASH ? 1 : 0;
    else if (code === COMMA || code === BRACKET || code === BRACE) {
      if (code !== COMMA) depth++;
      if (++values > MAX_VALUES || depth > MAX_DEPTH) return true;
    } else if (code === BRACKET_END || code === BRACE_END) depth--;
  }
  return false;
}
