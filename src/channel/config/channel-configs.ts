import { Injectable } from '@nestjs/common';
import type { FieldProblem } from '../../platform/problem/problem';
import type { Channel, ConfigProblem } from '../channel';
import { ChannelRegistry } from '../channel.registry';
import { markedKeys } from './config-metadata';
import { configProblems } from './config-validation';
import { destinationText } from './destination-text';
import {
  dialedValues,
  hiddenValues,
  isMarkedAt,
  isMasked,
  mapMarked,
  maskOf,
  namedSecrets,
  type RefusedMask,
  unmask,
} from './config-masking';

/** The role of the API key that reads a config: decides what is masked. */
export type ConfigReader = 'read' | 'write' | 'admin';

/** A config that may be stored. */
export interface ValidConfig {
  /** Plain JSON: the keys as they were sent, masks replaced by the stored values, generated secrets added. */
  config: object;
  /** Secrets that were generated because none was sent: shown once, in the response to this request. */
  generatedKeys: string[];
}

/** The configs of all channels: validated on the way in, masked on the way out. Knows no vendor. */
@Injectable()
export class ChannelConfigs {
  constructor(private readonly registry: ChannelRegistry) {}

  /**
   * The config to store, or everything that is wrong with it, with pointers under `/config`. `stored` is what the alert
   * holds for the same type: masked values sent back keep it. The type must exist.
   */
  validate(type: string, input: unknown, stored?: object | null): ValidConfig | FieldProblem[] {
    const channel = this.registry.get(type);
    const found = configProblems(channel.configClass, input);
    if (found.some(({ pointer }) => pointer === '')) return underConfig(found);
    const sent = input as object;
    const { config, refused } = unmask(channel.configClass, sent, stored ?? null);
    const problems = [...found.filter(({ pointer }) => !isMaskedAt(sent, pointer)), ...refused.map(refusedMask)];
    const restored = problems.length > 0 ? problems : configProblems(channel.configClass, config);
    if (restored.length > 0) return underConfig(restored);
    return complete(channel, config, stored ?? null);
  }

  /**
   * The config as the API returns it: credentials always masked, confidential values masked for read keys.
   * `shownKeys` are the secrets that this request generated.
   */
  present(type: string, config: object, reader: ConfigReader, shownKeys: readonly string[] = []): object {
    if (!this.registry.has(type)) return {};
    return mapMarked(this.registry.get(type).configClass, config, (found) => {
      const isShown = found.mark === 'confidential' ? reader !== 'read' : shownKeys.includes(String(found.path[0]));
      return isShown ? found.value : maskOf(found);
    });
  }

  /** The config with something else in place of each credential and confidential value, given its path. */
  replaced(type: string, config: object, replacement: (path: readonly (string | number)[]) => unknown): object {
    return mapMarked(this.registry.get(type).configClass, config, ({ path }) => replacement(path));
  }

  /** Whom the config reaches, in a few words, as this reader may see it: the keys marked `Addressee`. `null`: it tells nobody. */
  destination(type: string, config: object, reader: ConfigReader): string | null {
    if (!this.registry.has(type)) return null;
    const shown = this.present(type, config, reader) as Readonly<Record<string, unknown>>;
    const named = markedKeys(this.registry.get(type).configClass, 'addressee').flatMap((key) => shown[key] ?? []);
    return destinationText(named);
  }

  /** True where a config of this type has a credential, or what read keys are not shown. Of an unknown type everything. */
  hidesAt(type: string, path: readonly (string | number)[]): boolean {
    return !this.registry.has(type) || isMarkedAt(this.registry.get(type).configClass, path);
  }

  /** The class whose `@ApiProperty` decorators describe the config of this type. */
  schema(type: string): new () => object {
    return this.registry.get(type).configClass;
  }

  /**
   * The hosts and URLs that sending would connect to, so that the egress policy can refuse them when the alert is saved;
   * pointers are under `/config`. The vendors' own hosts are not listed.
   */
  dialed(type: string, config: object): { pointer: string; value: string }[] {
    return dialedValues(this.registry.get(type).configClass, config).map(({ pointer, value }) => ({
      pointer: `/config${pointer}`,
      value,
    }));
  }

  /** The credentials that a config that a client sent names themselves, not by their masks. */
  namedSecrets(type: string, config: object): string[] {
    return this.registry.has(type) ? namedSecrets(this.registry.get(type).configClass, config) : [];
  }

  /** Every credential and confidential value of a config, for redaction. */
  hiddenValues(type: string, config: object): string[] {
    return this.registry.has(type) ? hiddenValues(this.registry.get(type).configClass, config) : [];
  }
}

const underConfig = (found: readonly FieldProblem[]): FieldProblem[] =>
  found.map((problem) => ({ ...problem, pointer: `/config${problem.pointer}` }));

const REFUSED_MASK = {
  unknown: 'is a masked value that does not belong to the stored config; send the real value',
  redirected:
    'must be sent as its real value, not masked, because the config connects to a different server, port or encryption than before',
} as const;

const refusedMask = ({ path, reason }: RefusedMask): FieldProblem => ({
  pointer: `/${path.join('/')}`,
  code: 'invalid_config',
  message: REFUSED_MASK[reason],
});

/** A mask need not satisfy the rule of the value it stands for; the restored value is judged instead. */
function isMaskedAt(input: object, pointer: string): boolean {
  const value = pointer
    .slice(1)
    .split('/')
    .reduce<unknown>(
      (at, step) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined),
      input,
    );
  return typeof value === 'string' && isMasked(value);
}

function complete(channel: Channel, config: object, stored: object | null): ValidConfig | FieldProblem[] {
  const completed = channel.complete?.(config, stored) ?? config;
  if (Array.isArray(completed))
    return (completed as ConfigProblem[]).map(({ key, code, message }) => ({
      pointer: `/config/${key}`,
      code,
      message,
    }));
  const before = config as Record<string, unknown>;
  const after = completed as Record<string, unknown>;
  const kept = (stored ?? {}) as Record<string, unknown>;
  const generatedKeys = markedKeys(channel.configClass, 'secret').filter(
    (key) => before[key] === undefined && after[key] !== undefined && after[key] !== kept[key],
  );
  return { config: { ...completed }, generatedKeys };
}
