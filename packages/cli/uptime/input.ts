import { createReadStream } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { DocumentPlace } from './error-text';
import { CommandError, type Io } from './io';

/** The API's limit for request bodies. */
export const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** Input files joined into one text, with the file and line that each line came from. */
export interface Input extends DocumentPlace {
  text: string;
  name: string;
}

/**
 * Reads a file, or standard input for `-`. Throws: `CommandError` if the file doesn't exist, is larger than 8 MiB, or
 * isn't UTF-8.
 */
export async function readInput(io: Io, file: string): Promise<Input> {
  return joined([{ name: nameOf(file), text: await readText(io, file, MAX_INPUT_BYTES) }], '');
}

/** Reads several files and joins them with `between` on a separate line. The combined limit is 8 MiB. */
export async function readInputs(io: Io, files: readonly string[], between: string): Promise<Input> {
  const parts: { name: string; text: string }[] = [];
  let left = MAX_INPUT_BYTES;
  for (const file of files) {
    const text = await readText(io, file, left);
    left -= Buffer.byteLength(text);
    parts.push({ name: nameOf(file), text });
  }
  return joined(parts, between);
}

const nameOf = (file: string): string => (file === '-' ? 'stdin' : file);

async function readText(io: Io, file: string, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of file === '-' ? io.stdin : createReadStream(resolve(io.folder, file))) {
      const piece = Buffer.from(chunk as Uint8Array);
      bytes += piece.byteLength;
      if (bytes > most)
        throw new CommandError(`${nameOf(file)} is too large. All files together can have at most 8 MiB.`);
      chunks.push(piece);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(unreadable(file, error));
  }
}

function unreadable(file: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return `The file ${file} does not exist.`;
  if (code === 'EISDIR') return `${file} is a directory, not a file.`;
  if (code === 'EACCES') return `No permission to read ${file}.`;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return `${nameOf(file)} is not UTF-8 text.`;
  return `${basename(file)} could not be read: ${message}`;
}

export function joined(parts: readonly { name: string; text: string }[], between: string): Input {
  const begins: { line: number; name: string }[] = [];
  let text = '';
  let line = 1;
  for (const part of parts) {
    const gap = begins.length === 0 ? '' : `${text.endsWith('\n') ? '' : '\n'}${between === '' ? '' : `${between}\n`}`;
    line += lineEnds(gap);
    begins.push({ line, name: part.name });
    text += gap + part.text;
    line += lineEnds(part.text);
  }
  return {
    text,
    name: parts.map(({ name }) => name).join(', '),
    locate: (wanted) => {
      const begin = begins.findLast(({ line: first }) => first <= wanted) ?? { line: 1, name: 'stdin' };
      return { file: begin.name, line: wanted - begin.line + 1 };
    },
  };
}

const lineEnds = (text: string): number => text.split('\n').length - 1;
