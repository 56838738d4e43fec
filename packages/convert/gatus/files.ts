import { isRecord } from '../../../src/platform/text/json';
import { type FieldProblem, problems } from '../../../src/platform/problem/problem';
import { type DocumentText, readDocumentText } from '../../../src/configuration/document/document-text';
import type { ReportEntry } from '../conversion';
import { quoted } from './fields';
import { markVariables } from './variables';

export interface File {
  value: Record<string, unknown>;
  /** Returns where the value at a pointer is located in the submitted text. */
  place: (pointer: string) => string;
}

/** The error for text that contains no monitors. */
export const NOTHING: FieldProblem = {
  pointer: '',
  code: 'invalid_format',
  message:
    'this is not a Gatus configuration: it has neither endpoints nor suites. Send its YAML, and separate several files with ---',
};

export const pointerStep = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Returns the configuration files in a text, and reports everything else. Throws: `validation_failed` if the text isn't
 * in the expected format.
 */
export function filesIn(text: string, report: ReportEntry[]): File[] {
  const unwrapper = new Unwrapper(text.split('\n'), report);
  return readDocumentText(markVariables(text)).flatMap(({ value, ...document }) =>
    unwrapper.filesOf(value, (pointer) => placeIn(document, pointer), true),
  );
}

function placeIn(document: Pick<DocumentText, 'lineOf'>, pointer: string): string {
  const line = document.lineOf(pointer);
  return line === null ? pointer : `line ${line}`;
}

const TOO_LARGE = 'the files in ConfigMaps together are larger than 1 MiB. Send the files themselves';

/** Kubernetes's size limit for a ConfigMap. Here it applies to all embedded files combined. */
const MAX_INSIDE = 1024 * 1024;

const isChart = (value: unknown): value is { config: Record<string, unknown> } =>
  isRecord(value) &&
  !('endpoints' in value) &&
  isRecord(value['config']) &&
  ('endpoints' in value['config'] || 'suites' in value['config'] || 'external-endpoints' in value['config']);

/** Extracts files from the resources that contain them. */
class Unwrapper {
  private inside = 0;

  constructor(
    private readonly lines: readonly string[],
    private readonly report: ReportEntry[],
  ) {}

  /** `mayWrap` is false for values that have already been extracted. */
  filesOf(value: unknown, place: File['place'], mayWrap: boolean): File[] {
    if (value === null) return [];
    if (!isRecord(value))
      throw problems.validationFailed([{ ...NOTHING, message: 'a Gatus configuration must be a mapping' }]);
    if (mayWrap && typeof value['kind'] === 'string' && 'apiVersion' in value)
      return this.ofKubernetes(value['kind'], value, place);
    return isChart(value) ? this.ofChart(value, value.config, place) : [{ value, place }];
  }

  private ofChart(value: Record<string, unknown>, config: Record<string, unknown>, place: File['place']): File[] {
    const others = Object.keys(value).filter((name) => name !== 'config');
    const [first] = others;
    if (first !== undefined)
      this.skip(place(`/${pointerStep(first)}`), others.join(', '), 'not a monitor: sets how Gatus is installed');
    return [{ value: config, place: (pointer) => place(`/config${pointer}`) }];
  }

  private ofKubernetes(kind: string, value: Record<string, unknown>, place: File['place']): File[] {
    const { items } = value;
    if (kind === 'List' && Array.isArray(items))
      return items.flatMap((item: unknown, i) =>
        this.filesOf(item, (pointer) => place(`/items/${i}${pointer}`), !isRecord(item) || item['kind'] !== 'List'),
      );
    const values = kind === 'HelmRelease' && isRecord(value['spec']) ? value['spec']['values'] : null;
    if (isChart(values)) return this.ofChart(values, values.config, (pointer) => place(`/spec/values${pointer}`));
    const field = kind === 'Secret' ? 'stringData' : 'data';
    const data = kind === 'Secret' || kind === 'ConfigMap' ? value[field] : null;
    if (!isRecord(data))
      return this.skip(
        place(''),
        kind,
        `a Kubernetes ${quoted(kind)} does not contain a Gatus configuration in plain text`,
      );
    return Object.entries(data).flatMap(([name, content]) => {
      const pointer = `/${field}/${pointerStep(name)}`;
      if (typeof content !== 'string' || !/\.ya?ml$/i.test(name))
        return this.skip(place(pointer), name, 'it is not a YAML file');
      this.inside += content.length;
      if (this.inside > MAX_INSIDE) throw problems.validationFailed([{ ...NOTHING, pointer, message: TOO_LARGE }]);
      return readDocumentText(content).flatMap(({ value: inner, ...document }) =>
        this.filesOf(inner, this.placeInside(document, pointer, place(pointer)), false),
      );
    });
  }

  /** Lines inside a block scalar (`|`) are counted from the line where the block starts. */
  private placeInside(document: Pick<DocumentText, 'lineOf'>, pointer: string, at: string): File['place'] {
    const line = /^line (\d+)$/.exec(at)?.[1];
    const isBlock = line !== undefined && /[|>][-+0-9]*\s*(?:#.*)?$/.test(this.lines[Number(line) - 1] ?? '');
    return (inside) => {
      const own = document.lineOf(inside);
      return isBlock && own !== null ? `line ${Number(line) + own}` : pointer + inside;
    };
  }

  private skip(at: string, name: string, why: string): File[] {
    this.report.push({ at, name: quoted(name), result: 'skipped', why });
    return [];
  }
}
