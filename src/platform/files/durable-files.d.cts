/** Stores the names in a directory. Without this, a power cut can undo that files were created, renamed, or removed there. */
export function syncDirectory(directory: string): void;

/** Stores the content of a file. Its name needs `syncDirectory`. */
export function syncFile(file: string): void;

/** Stores the content and the names of all files below a directory. */
export function syncTree(directory: string): Promise<void>;

/** Creates a directory and its missing parents. Their names survive a power cut. */
export function makeDirectory(directory: string, mode: number): void;

/** Writes a file that only its owner can read. After a power cut it has the whole text, or it is unchanged. */
export function writeWhole(file: string, text: string): void;
