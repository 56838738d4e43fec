import { createHash } from 'node:crypto';

/** A UUID (version 8) that is made of a text, from which nobody gets the text back. */
export function opaqueId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
