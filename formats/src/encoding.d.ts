/** The part of the Encoding Standard that is used here: Node and browsers have it, ECMAScript does not. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes: Uint8Array): string;
}
