import { isRecord } from '../../../src/platform/text/json';
import { type DocumentText, readDocumentText } from '../../../src/configuration/document/document-text';
import { type Members, notSuchFile } from '../foreign-list';

const FORM =
  'a configuration of Prometheus with scrape_configs and a configuration of blackbox_exporter with modules, in one file or separated by ---';

export interface Placed {
  value: unknown;
  at: string;
  /** Returns the line of a nested value. `pointer` is relative to this value. */
  lineOf(this: void, pointer: string): string;
}

/** Both configurations, read from any number of documents. */
export interface Source {
  modules: Map<string, Placed>;
  jobs: Placed[];
  global: Members;
  /** Prometheus sections that contain no checks. */
  others: { name: string; at: string }[];
}

const KNOWN = new Set(['modules', 'scrape_configs', 'global']);

/** Replaces `!!binary` with `!!str`. A TCP probe may send bytes, but they aren't used here. */
export const withoutBinary = (text: string): string => text.replace(/([:-] +)!!binary(?=\s)/g, '$1!!str');

/** Throws: `validation_failed` if the file isn't in the expected format. */
export function readSource(text: string): Source {
  const documents = readDocumentText(withoutBinary(text));
  const source: Source = { modules: new Map(), jobs: [], global: {}, others: [] };
  for (const document of documents) add(document, source);
  if (documents.every(({ value }) => value === null)) throw notSuchFile(FORM, 1);
  return source;
}

function add(document: DocumentText, source: Source): void {
  const { value } = document;
  const placed = (pointer: string, part: unknown): Placed => {
    const lineOf = (inner: string): string => `line ${document.lineOf(pointer + inner)}`;
    return { value: part, at: lineOf(''), lineOf };
  };
  if (value === null) return;
  const isKnown = isRecord(value) && ('modules' in value || 'scrape_configs' in value);
  if (!isKnown) throw notSuchFile(FORM, document.lineOf(''));
  const { modules = {}, scrape_configs: jobs = [], global } = value;
  if (!isRecord(modules)) throw notSuchFile(`${FORM}: modules is not a mapping`, document.lineOf('/modules'));
  if (!Array.isArray(jobs))
    throw notSuchFile(`${FORM}: scrape_configs is not a list`, document.lineOf('/scrape_configs'));
  for (const [name, module] of Object.entries(modules))
    source.modules.set(name, placed(`/modules/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, module));
  jobs.forEach((job: unknown, i) => source.jobs.push(placed(`/scrape_configs/${i}`, job)));
  if (isRecord(global)) source.global = { ...source.global, ...global };
  for (const name of Object.keys(value))
    if (!KNOWN.has(name)) source.others.push({ name, at: placed(`/${name}`, null).at });
}
