import { INTERVAL_BOUNDS } from '../../../src/platform/config/check-bounds';
import { isRecord } from '../../../src/platform/text/json';
import { refusalOf } from '../acceptance';
import type { Conversion, ReportEntry } from '../conversion';
import { DocumentBuilder, nameFrom, type NewEndpoint, tagsFrom } from '../document-builder';
import { type Members, textIn } from '../foreign-list';
import { type Differences, durationSeconds, Fields } from './fields';
import { probeOf } from './modules';
import { type ModuleLabel, readRelabeling } from './relabeling';
import { type Placed, readSource, type Source } from './source';

const DEFAULT_MODULE = 'http_2xx';
const DEFAULT_SECONDS = { scrape_interval: 60, scrape_timeout: 10 };
const BOUNDS = {
  interval: { min: INTERVAL_BOUNDS.minimum, max: INTERVAL_BOUNDS.maximum },
  timeout: { min: 1, max: 300 },
};
const NOT_CHECKED = 'it contains no checks';

/** Converts scrape configurations for targets that blackbox_exporter probes. Each job becomes a website. */
export const convertPrometheusBlackbox = (text: string): Conversion => {
  const source = readSource(text);
  const builder = new DocumentBuilder();
  const used = new Set<string>();
  const jobs = source.jobs.flatMap((job) => new Job(job, source, builder, used).convert());
  const unused = [...source.modules]
    .filter(([name]) => !used.has(name))
    .map(([name, { at }]) => skipped(at, name, 'no job with targets uses this module'));
  const others = source.others.map(({ name, at }) => skipped(at, name, NOT_CHECKED));
  return builder.finish([...jobs, ...unused, ...others]);
};

const skipped = (at: string, name: string, why: string): ReportEntry => ({ at, name, result: 'skipped', why });

/** A target in a job, with its group's labels. */
interface Target {
  address: string;
  at: string;
  labels: Members;
}

class Job {
  private readonly job: Members;
  private readonly name: string;

  constructor(
    private readonly placed: Placed,
    private readonly source: Source,
    private readonly builder: DocumentBuilder,
    private readonly used: Set<string>,
  ) {
    this.job = isRecord(placed.value) ? placed.value : {};
    this.name = nameFrom(textIn(this.job, 'job_name'));
  }

  convert(): ReportEntry[] {
    const { at } = this.placed;
    if (!isRecord(this.placed.value)) return [skipped(at, this.name, 'this is not a job')];
    const path = textIn(this.job, 'metrics_path') || '/metrics';
    if (!path.endsWith('/probe'))
      return [skipped(at, this.name, `not a probe of blackbox_exporter: its metrics_path is ${path}`)];
    const discovered = Object.keys(this.job).filter((name) => name.endsWith('_sd_configs'));
    const elsewhere = discovered.map((name) =>
      skipped(
        this.placed.lineOf(`/${name}`),
        this.name,
        `the targets of ${name} are not in the file. Write them into static_configs to convert them`,
      ),
    );
    const relabeling = readRelabeling(listIn(this.job, 'relabel_configs'));
    const own = this.targets(relabeling.isTarget || relabeling.refused !== null);
    if (own.length === 0 && elsewhere.length === 0)
      return [skipped(at, this.name, 'it has no targets, or no relabel rule that sets the parameter target to them')];
    return [
      ...elsewhere,
      ...own.map((target) => {
        const module = this.moduleOf(target, relabeling.module);
        const refused = relabeling.refused ?? this.moduleRefusal(module);
        return refused === null
          ? this.convertTarget(target, module, relabeling.lost)
          : skipped(target.at, target.address, refused);
      }),
    ];
  }

  /**
   * Returns the targets. If no rule turns the address into the target, the parameter is the target, regardless of what
   * is scraped.
   */
  private targets(isTarget: boolean): Target[] {
    const parameters = isRecord(this.job['params']) ? listIn(this.job['params'], 'target') : [];
    if (!isTarget)
      return parameters.map((address, i) => ({
        address: String(address),
        at: this.placed.lineOf(`/params/target/${i}`),
        labels: {},
      }));
    return listIn(this.job, 'static_configs').flatMap((group, i) => {
      const labels = isRecord(group) && isRecord(group['labels']) ? group['labels'] : {};
      return listIn(isRecord(group) ? group : {}, 'targets').map((address, k) => ({
        address: String(address),
        at: this.placed.lineOf(`/static_configs/${i}/targets/${k}`),
        labels,
      }));
    });
  }

  private get moduleName(): string {
    const names = isRecord(this.job['params']) ? listIn(this.job['params'], 'module') : [];
    const [first] = names;
    return typeof first === 'string' ? first : DEFAULT_MODULE;
  }

  private moduleOf({ labels }: Target, from: ModuleLabel | null): string {
    if (from === null) return this.moduleName;
    return textIn(labels, from.label) || (from.keepsOwn ? this.moduleName : DEFAULT_MODULE);
  }

  private moduleRefusal(name: string): string | null {
    const module = this.source.modules.get(name);
    return module && isRecord(module.value)
      ? null
      : `its module ${name} is not in the file. Also send the configuration of blackbox_exporter`;
  }

  private convertTarget(target: Target, moduleName: string, lostLabels: readonly string[]): ReportEntry {
    const name = nameFrom(target.address);
    const differences: Differences = new Set();
    this.used.add(moduleName);
    const module = this.source.modules.get(moduleName)?.value;
    const fields = new Fields(isRecord(module) ? module : {}, '', differences);
    const timeout = fields.text('timeout');
    const read = probeOf(fields, target.address, (what, value) => this.builder.secret(`${this.name} ${what}`, value));
    if ('refused' in read) return skipped(target.at, name, read.refused);
    const { tags, lost } = tagsFrom(Object.keys(target.labels).map((key) => `${key}:${textIn(target.labels, key)}`));
    for (const label of lost) differences.add(`its label ${label} cannot be used as a tag`);
    for (const label of lostLabels) differences.add(`the label ${label} of a relabel rule is not converted`);
    const endpoint: NewEndpoint = {
      name,
      ...read.probe,
      ...this.schedule(timeout, differences),
      ...(tags.length > 0 && { tags }),
    };
    const refused = refusalOf(endpoint, this.builder.valueOf);
    if (refused !== null) return skipped(target.at, name, refused);
    this.builder.add({ name: this.name, at: this.placed.at }, endpoint);
    const why = differences.size === 0 ? null : [...differences].join('; ');
    return { at: target.at, name, result: why === null ? 'mapped' : 'approximated', why };
  }

  private schedule(timeout: string, differences: Differences): Pick<NewEndpoint, 'interval' | 'timeout'> {
    const scrape = this.seconds('scrape_timeout');
    const limit = Math.min(scrape, durationSeconds(timeout) ?? scrape);
    return {
      interval: whole(this.seconds('scrape_interval'), 'interval', differences),
      timeout: whole(limit, 'timeout', differences),
    };
  }

  private seconds(field: keyof typeof DEFAULT_SECONDS): number {
    const own = durationSeconds(textIn(this.job, field)) ?? durationSeconds(textIn(this.source.global, field));
    return own ?? DEFAULT_SECONDS[field];
  }
}

function whole(seconds: number, what: 'interval' | 'timeout', differences: Differences): number {
  const { min, max } = BOUNDS[what];
  const rounded = Math.min(max, Math.max(min, Math.ceil(seconds)));
  if (rounded !== seconds) differences.add(`its ${what} is changed from ${seconds} s to ${rounded} s`);
  return rounded;
}

const listIn = (members: Members, name: string): readonly unknown[] => {
  const value = members[name];
  return Array.isArray(value) ? value : [];
};
