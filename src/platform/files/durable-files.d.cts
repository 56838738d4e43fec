/**
 * Writes a directory's file names to disk. Without this, a power failure can undo the creation, renaming, or removal of
 * files in it.
 */
export function syncDirectory(directory: string): void;

/** Writes a file's content to disk. To keep the file's name as well, call `syncDirectory`. */
export function syncFile(file: string): void;

/** Writes the content and names of all files below a directory to disk. */
export function syncTree(directory: string): Promise<void>;

/** Creates a directory and any missing parents. The new directories survive a power failure. */
export function makeDirectory(directory: string, mode: number): void;

/**
 * Writes a file that only its owner can read. After a power failure, the file contains either the whole text or its
 * previous content.
 */
export function writeWhole(file: string, text: string): void;
