import { Injectable } from '@nestjs/common';
import { may, type Role } from '../../platform/access/permissions';
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

/** The role of the API key that reads a config. It determines which values are masked. */
export type ConfigReader = Role;

export interface ValidConfig {
  /**
   * The config as plain JSON. It contains the properties that were sent, with stored values instead of masks, and
   * generated secrets.
   */
  config: object;
  /** The names of generated secrets. They are shown once, in the response to this request. */
  generatedKeys: string[];
}

/** Validates incoming configs and masks outgoing ones, for all channels. Independent of providers. */
@Injectable()
export class ChannelConfigs {
  constructor(private readonly registry: ChannelRegistry) {}

  /**
   * Returns the config to store, or all of its problems, with pointers under `/config`. `stored` is the alert's config
   * of the same type. If a masked value is sent back, the stored value is kept. The type must exist.
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
   * Returns the config for a preview, or all of its problems, with pointers under `/config`. Every credential is masked,
   * and a value that was sent as a mask is accepted, because nothing is sent.
   */
  forPreview(type: string, input: unknown, reader: ConfigReader): object | FieldProblem[] {
    const channel = this.registry.get(type);
    const found = configProblems(channel.configClass, input);
    if (found.some(({ pointer }) => pointer === '')) return underConfig(found);
    const sent = input as object;
    const problems = found.filter(({ pointer }) => !isMaskedAt(sent, pointer));
    if (problems.length > 0) return underConfig(problems);
    const completed = complete(channel, sent, null);
    return Array.isArray(completed) ? completed : this.present(type, completed.config, reader);
  }

  /**
   * Returns the config for the API. Credentials are always masked, and confidential values are masked for read keys.
   * `shownKeys` are the secrets that this request generated, which are not masked.
   */
  present(type: string, config: object, reader: ConfigReader, shownKeys: readonly string[] = []): object {
    if (!this.registry.has(type)) return {};
    const isTrusted = may({ role: reader }, 'secrets.read');
    return mapMarked(this.registry.get(type).configClass, config, (found) => {
      const isShown = found.mark === 'confidential' ? isTrusted : shownKeys.includes(String(found.path[0]));
      return isShown ? found.value : maskOf(found);
    });
  }

  /**
   * Returns the config with each credential and confidential value replaced. `replacement` receives the path of the
   * value.
   */
  replaced(type: string, config: object, replacement: (path: readonly (string | number)[]) => unknown): object {
    return mapMarked(this.registry.get(type).configClass, config, ({ path }) => replacement(path));
  }

  /**
   * Returns a short string that says who the config notifies, based on the properties marked `Addressee` and limited to
   * what this reader may see. `null` if there are none.
   */
  destination(type: string, config: object, reader: ConfigReader): string | null {
    if (!this.registry.has(type)) return null;
    const shown = this.present(type, config, reader) as Readonly<Record<string, unknown>>;
    const named = markedKeys(this.registry.get(type).configClass, 'addressee').flatMap((key) => shown[key] ?? []);
    return destinationText(named);
  }

  /**
   * Returns true if a config of this type has a credential or confidential value at the path. Returns true for every
   * path of an unknown type.
   */
  hidesAt(type: string, path: readonly (string | number)[]): boolean {
    return !this.registry.has(type) || isMarkedAt(this.registry.get(type).configClass, path);
  }

  /** Returns the class whose `@ApiProperty` decorators describe the config of this type. */
  schema(type: string): new () => object {
    return this.registry.get(type).configClass;
  }

  /**
   * Returns the hosts and URLs that sending would connect to, with pointers under `/config`. The egress policy can then
   * refuse them when the alert is saved. The providers' own hosts are not included.
   */
  dialed(type: string, config: object): { pointer: string; value: string }[] {
    return dialedValues(this.registry.get(type).configClass, config).map(({ pointer, value }) => ({
      pointer: `/config${pointer}`,
      value,
    }));
  }

  /** Returns the credentials that a client sent in plain text instead of as masks. */
  namedSecrets(type: string, config: object): string[] {
    return this.registry.has(type) ? namedSecrets(this.registry.get(type).configClass, config) : [];
  }

  /** Returns every credential and confidential value of a config, for redaction. */
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

/** A mask need not follow the rule for the value that it replaces. The restored value is validated instead. */
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
