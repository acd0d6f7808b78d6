import { trusted } from '../platform/trusted-types';

/** What `entities` has a table of 14 kB for is known to the browser. */
const holder = document.createElement('p');
function decodeOne(reference: string): string {
  holder.innerHTML = trusted.createHTML(reference);
  return holder.textContent;
}

export const decodeHTML = (text: string): string => text.replace(/&(#?[a-z\d]+);?/gi, decodeOne);

/** In an attribute `&copy=1` is a part of an address: only what ends with a semicolon is a reference. */
export const decodeHTMLAttribute = (text: string): string =>
  text.replace(/&(#?[a-z\d]+);/gi, (reference) => {
    const decoded = decodeOne(reference);
    return decoded.length > 2 ? reference : decoded;
  });

/** `htmlparser2` asks for these, and uses none of them while it leaves references as they are. */
export class EntityDecoder {}
export const DecodingMode = {};
export const htmlDecodeTree = undefined;
export const xmlDecodeTree = undefined;
export const fromCodePoint = undefined;
