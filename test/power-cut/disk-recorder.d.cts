import type { DiskOperation } from './simulated-disk';

/** Records what this thread writes below a directory from now on. Returns a function that ends it. */
export function record(directory: string, take: (operation: DiskOperation, bytes?: Uint8Array) => void): () => void;

/** A record of the log: an object, and the bytes of a write. */
export function encode(content: object, bytes?: Uint8Array): Uint8Array;
