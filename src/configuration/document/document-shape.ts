import { KEY } from '../../platform/http/body/resource-key';
import { isLongerThan } from '../../platform/text/text-limits';
import { pointerStep } from '../../platform/problem/constraint-codes';
import { type FieldProblem, problems as catalogue } from '../../platform/problem/problem';
import { isRecord } from '../../platform/text/json';
import { type ConfigurationDocument, MAX_RESOURCES } from './document';
import type { DocumentText } from './document-text';
import { readDocumentInWorker } from './read-in-worker';
import {
  judgeAlert,
  judgeContact,
  judgeEndpoint,
  judgePage,
  judgeProbe,
  judgeWebsite,
  judgeWindow,
} from './shapes-from-dtos';
import { Turns } from '../../platform/time/turns';
import { type Members, ShapeProblems } from './shape-rules';

const SECTIONS = ['contacts', 'probes', 'websites', 'maintenance_windows', 'status_pages'] as const;
const FIELDS = ['version', 'owner', 'secrets', ...SECTIONS];

/**
 * The maximum number of characters in a secret, which is twice the longest value that any field accepts. The value is
 * validated wherever the secret is used.
 */
const MAX_SECRET = 64 * 1024;

/** A document with a valid shape, and the line number of each value. */
export interface ShapedDocument {
  document: ConfigurationDocument;
  /** Returns the 1-based line number of the value at a JSON pointer, or of the nearest enclosing value. */
  lineOf(pointer: string): number | null;
}

/**
 * Reads a configuration document and validates its shape: fields, types, and ranges as in the API, and unique keys. It
 * doesn't check anything that depends on more than the document: references, targets, and configs. Sections and
 * endpoint lists that are `null` are left out. Throws `malformed_document`, or `validation_failed` with pointers and
 * lines.
 */
export const readConfigurationDocument = async (text: string, orgId: string): Promise<ShapedDocument> =>
  shapeOf(await readDocumentInWorker(text, orgId));

/** Returns the document in a parsed text, with its shape validated. */
export async function shapeOf(documents: readonly DocumentText[]): Promise<ShapedDocument> {
  const [first, ...others] = documents;
  if (!first) throw refused([{ pointer: '', line: 1, code: 'required', message: 'the document is empty' }]);
  const lineOf = (pointer: string): number | null => first.lineOf(pointer);
  if (others.length > 0) {
    const message = `there are ${documents.length} documents, but only one is accepted: remove the lines ---`;
    throw refused([{ pointer: '', line: null, code: 'invalid_format', message }]);
  }
  const count = isRecord(first.value) ? resourcesIn(first.value) : 0;
  if (count > MAX_RESOURCES) {
    const message = `the document declares more than ${MAX_RESOURCES} resources: split it, and give each part its own owner`;
    throw refused([{ pointer: '', line: 1, code: 'too_large', message }]);
  }
  const document = withoutEmptySections(first.value);
  const found = await problemsOf(document);
  if (found.length > 0) throw refused(found.map((problem) => ({ ...problem, line: lineOf(problem.pointer) })));
  return { document: document as ConfigurationDocument, lineOf };
}

const refused = (found: readonly FieldProblem[]) => catalogue.validationFailed(found);

function withoutEmptySections(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const optional: readonly string[] = [...SECTIONS, 'secrets'];
  const kept = Object.fromEntries(
    Object.entries(value).filter(([name, item]) => item !== null || !optional.includes(name)),
  );
  const { websites } = kept;
  return Array.isArray(websites)
    ? { ...kept, websites: websites.map((website: unknown) => withoutEmptyEndpoints(website)) }
    : kept;
}

function withoutEmptyEndpoints(website: unknown): unknown {
  if (!isRecord(website) || website['endpoints'] !== null) return website;
  return Object.fromEntries(Object.entries(website).filter(([name]) => name !== 'endpoints'));
}

async function problemsOf(value: unknown): Promise<readonly FieldProblem[]> {
  const problems = new ShapeProblems();
  const turns = new Turns();
  for (const _ of judged(problems, value)) {
    if (problems.isFull) break;
    await turns.rest();
  }
  return problems.all;
}

/** Validates one resource at a time, so that other work can run in between. */
function* judged(problems: ShapeProblems, value: unknown): Iterable<void> {
  if (!problems.isObject(value, '')) return;
  problems.onlyFields(value, FIELDS, '');
  yield* judgeHead(problems, value);
  yield* each(problems, value, 'contacts', (...contact) => judgeContact(problems, ...contact));
  yield* each(problems, value, 'probes', (...probe) => judgeProbe(problems, ...probe));
  const keys = new Set<string>();
  for (const [website, at] of itemsOf(problems, value, 'websites')) {
    if (!problems.isObject(website, at)) continue;
    yield judgeWebsite(problems, website, keys, at);
    yield* endpointsOf(problems, website, at);
  }
  yield* each(problems, value, 'maintenance_windows', (...window) => judgeWindow(problems, ...window));
  yield* each(problems, value, 'status_pages', (...page) => judgePage(problems, ...page));
}

function* endpointsOf(problems: ShapeProblems, website: Members, parent: string): Iterable<void> {
  const keys = new Set<string>();
  for (const [endpoint, at] of itemsOf(problems, website, 'endpoints', parent)) {
    if (!problems.isObject(endpoint, at)) continue;
    yield judgeEndpoint(problems, endpoint, keys, at);
    yield* each(problems, endpoint, 'alerts', (...alert) => judgeAlert(problems, ...alert), at);
  }
}

function* judgeHead(problems: ShapeProblems, { version, owner, secrets }: Members): Iterable<void> {
  if (version === undefined) problems.add('/version', 'required', 'version is required: write version: 1');
  else if (version !== 1) problems.add('/version', 'invalid_format', 'version must be 1, the only supported version');
  if (owner !== undefined && (typeof owner !== 'string' || !KEY.test(owner))) problems.path(owner, 1, '/owner');
  if (secrets === undefined || !problems.isObject(secrets, '/secrets')) return;
  for (const [name, secret] of Object.entries(secrets)) {
    const at = `/secrets/${pointerStep(name)}`;
    problems.secretName(name, at);
    if (typeof secret !== 'string') problems.add(at, 'wrong_type', 'a secret must be a string: put it in quotes');
    else if (secret.trim() === '')
      problems.add(at, 'required', 'a secret must not be empty: leave it out to keep the stored value');
    else if (isLongerThan(secret, MAX_SECRET))
      problems.add(at, 'too_long', `a secret must have at most ${MAX_SECRET} characters`);
    yield;
  }
}

/** Returns the items of a list that may be absent, each with its pointer. */
function itemsOf(problems: ShapeProblems, members: Members, field: string, parent = ''): [unknown, string][] {
  if (members[field] === undefined) return [];
  const at = `${parent}/${field}`;
  return problems.items(members[field], at).map((item, i) => [item, `${at}/${i}`]);
}

/** Validates items that must have unique keys. */
function* each(
  problems: ShapeProblems,
  members: Members,
  field: string,
  judge: (item: unknown, taken: Set<string>, at: string) => void,
  parent = '',
): Iterable<void> {
  const taken = new Set<string>();
  for (const [item, at] of itemsOf(problems, members, field, parent)) yield judge(item, taken, at);
}

const listIn = (value: unknown, field: string): readonly unknown[] => {
  const list = isRecord(value) ? value[field] : undefined;
  return Array.isArray(list) ? list : [];
};

/**
 * Counts contacts, probes, websites, their endpoints with alerts, windows, and pages. Stops soon after the limit is
 * exceeded.
 */
function resourcesIn(document: Members): number {
  let count = SECTIONS.reduce((sum, section) => sum + listIn(document, section).length, 0);
  if (count > MAX_RESOURCES) return count;
  for (const website of listIn(document, 'websites')) {
    const endpoints = listIn(website, 'endpoints');
    count += endpoints.length;
    if (count > MAX_RESOURCES) return count;
    for (const endpoint of endpoints) count += listIn(endpoint, 'alerts').length;
  }
  return count;
}
