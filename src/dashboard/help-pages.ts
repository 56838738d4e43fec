import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type Asset, etagOf } from './dashboard-assets';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
};

const DIRECTORIES = [join(__dirname, '../public/help'), join(__dirname, '../../dist/public/help')];
const NOT_FOUND = 'not-found.html';
/** The list of all pages for language models, which programs look for at the root. */
const LLMS = 'llms.txt';

/**
 * The built help pages by URL path: `/help/`, `/help/<page>`, `/help/<page>.md`, and `/llms.txt`. Only the names are in
 * memory. A page is read when it is requested, because few installations read more than a few of them.
 */
@Injectable()
export class HelpPages {
  private readonly files = new Map<string, string>();

  constructor() {
    const directory = DIRECTORIES.find((each) => existsSync(join(each, 'index.html')));
    if (directory === undefined) return;
    for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
      const file = name.split(sep).join('/');
      const path = pathOf(file);
      if (path !== null) this.files.set(path, join(directory, name));
    }
  }

  /** Returns the file at a URL path, or `undefined`. Never reads a file that isn't part of the help. */
  async find(path: string): Promise<Asset | undefined> {
    const file = this.files.get(path);
    return file === undefined ? undefined : read(file, path.startsWith('/help/assets/'));
  }

  /**
   * Returns the page that is shown for an unknown path. `root` is the relative URL of the service's root. `null` if the
   * help is not built.
   */
  async notFound(root: string): Promise<string | null> {
    const file = this.files.get(NOT_FOUND);
    return file === undefined ? null : (await readFile(file, 'utf8')).replaceAll('{root}', root);
  }
}

function pathOf(file: string): string | null {
  if (file === NOT_FOUND) return NOT_FOUND;
  if (file === LLMS) return `/${LLMS}`;
  if (file === 'index.html') return '/help/';
  if (!(extname(file) in TYPES)) return null;
  return `/help/${file.replace(/\.html$/, '')}`;
}

async function read(file: string, isImmutable: boolean): Promise<Asset> {
  const body = await readFile(file);
  const type = TYPES[extname(file)] ?? 'text/plain; charset=utf-8';
  return { type, etag: etagOf(body), isImmutable, isCompressed: type === 'image/png', body };
}
