import { problems } from '../../../../src/platform/problem/problem';
import { isRecord } from '../../../../src/platform/text/json';
import { readDocumentText } from '../../../../src/configuration/document/document-text';
import type { ReportEntry } from '../../conversion';
import { jsonValues, type JsonValue } from './json-values';
import { Row } from './row';

/** For longer texts, the document parser takes too long to find the problem. */
const MAX_EXPLAINED = 256 * 1024;

type Mapping = Readonly<Record<string, unknown>>;

/** The content of an Uptime Kuma 1 or 2 file. */
export interface Backup {
  tables: ReadonlyMap<string, readonly Row[]>;
  /** The parts that couldn't be read as rows. */
  unread: ReportEntry[];
}

/** The parts of a version 1 backup, by the corresponding table in version 2. */
const TABLE_OF: Readonly<Record<string, string>> = {
  monitorList: 'monitor',
  notificationList: 'notification',
  proxyList: 'proxy',
  maintenanceList: 'maintenance',
  statusPageList: 'status_page',
  dockerHostList: 'docker_host',
  remoteBrowserList: 'remote_browser',
  tagList: 'tag',
};

/**
 * Reads a version 1 backup (one JSON document), or version 2 tables (concatenated objects `{"table": "monitor", "rows":
 * […]}`). Throws: `malformed_document` or `validation_failed`.
 */
export function readBackup(text: string): Backup {
  const found = new Tables();
  for (const value of jsonValues(text.replace(/^\uFEFF/, ''))) {
    const document = parsed(value, text);
    const { table, rows } = document;
    if (typeof table === 'string') found.add(table, rows ?? [], (i) => placeInTable(table, value, i));
    else
      for (const [name, items] of Object.entries(document))
        if (typeof items === 'object' && items !== null) {
          const keys = Object.keys(items);
          found.add(TABLE_OF[name] ?? name, items, (i) => `/${name}/${keys[i] ?? i}`);
        }
  }
  if (!found.tables.has('monitor') && !found.tables.has('notification')) throw noBackup();
  return found;
}

class Tables implements Backup {
  readonly tables = new Map<string, Row[]>();
  readonly unread: ReportEntry[] = [];

  /** `items` is a list, or a mapping by ID. */
  add(table: string, items: unknown, placeOf: (index: number) => string): void {
    const here = this.tables.get(table) ?? [];
    this.tables.set(table, here);
    const list: unknown[] = typeof items === 'object' && items !== null ? Object.values(items) : [items];
    for (const [index, item] of list.entries()) {
      if (isRecord(item)) here.push(new Row(placeOf(index), item));
      else
        this.unread.push({
          at: placeOf(index),
          name: table,
          result: 'skipped',
          why: 'this is not a row: it has no fields',
        });
    }
  }
}

function parsed({ text, line }: JsonValue, whole: string): Mapping {
  try {
    // SQLite prints nothing for an empty table, which leaves `"rows":}`.
    const value: unknown = JSON.parse(text.replace(/("rows"\s*:)\s*\}$/, '$1[]}'));
    if (isRecord(value)) return value;
  } catch {
    // The document parser reports the problem and its line.
    if (line === 1 && whole.length <= MAX_EXPLAINED)
      for (const { value } of readDocumentText(whole)) if (isRecord(value)) return value;
  }
  throw noBackup(line);
}

/** Returns the line of a row if each row is on a separate line. */
function placeInTable(table: string, { rowLines }: JsonValue, index: number): string {
  const line = rowLines[index];
  const isAlone = line !== undefined && rowLines[index - 1] !== line && rowLines[index + 1] !== line;
  return isAlone ? `line ${line}` : `/${table}/${index}`;
}

const noBackup = (line: number | null = null) =>
  problems.validationFailed([
    {
      pointer: '',
      code: 'invalid_format',
      message: `${line === null ? 'this' : `the part that starts in line ${line}`} is neither a backup of Uptime Kuma 1 (with "monitorList") nor a table of version 2 ({"table": "monitor", "rows": […]})`,
      ...(line === null ? {} : { line }),
    },
  ]);
