import type { AnswerMode } from '../harness/servers/switched-server';
import type { Command, ProviderMode } from './commands';

export type Kind = 'website' | 'endpoint' | 'alert';
export type Fields = Readonly<Record<string, string | number | boolean>>;

/** A website, an endpoint or an alert as it should be. */
export interface Resource {
  kind: Kind;
  name: string;
  parent: string | null;
  fields: Fields;
  /** Nobody edits it. */
  steady: boolean;
  /** Its target never fails. */
  calm: boolean;
}

/** Names of the resources right below one. */
export const childrenOf = (resources: ReadonlyMap<string, { parent: string | null }>, name: string): string[] =>
  [...resources].filter(([, { parent }]) => parent === name).map(([child]) => child);

/** How everything should be once every command is carried out: the plan decides it, not the service's answers. */
export class Model {
  readonly resources = new Map<string, Resource>();
  readonly providers = new Map<number, ProviderMode>();
  second = false;
  private readonly modes = new Map<string, AnswerMode>();
  private names = 0;

  newName(prefix: string): string {
    return `${prefix}${++this.names}`;
  }

  of(kind: Kind): Resource[] {
    return [...this.resources.values()].filter((resource) => resource.kind === kind);
  }

  /** How the endpoint's target answers. */
  modeOf(endpoint: string): AnswerMode {
    return this.modes.get(endpoint) ?? 'ok';
  }

  /** True while the resource and everything above it is enabled. */
  isActive(name: string): boolean {
    const resource = this.resources.get(name);
    if (!resource || resource.fields['enabled'] !== true) return false;
    return resource.parent === null || this.isActive(resource.parent);
  }

  /** Rounds begin with every provider well. */
  healProviders(): void {
    this.providers.clear();
  }

  apply(command: Command): void {
    switch (command.do) {
      case 'create': {
        const { kind, name, parent, fields } = command;
        const marks = { steady: name.startsWith('steady'), calm: name.endsWith('-e0') };
        this.resources.set(name, { kind, name, parent, fields, ...marks });
        return;
      }
      case 'update': {
        const resource = this.resources.get(command.name);
        if (resource) resource.fields = { ...resource.fields, ...command.fields };
        return;
      }
      case 'delete':
        return this.remove(command.name);
      case 'target':
        for (const name of command.names) this.modes.set(name, command.mode);
        return;
      case 'provider':
        this.providers.set(command.channel, command.mode);
        return;
      case 'second instance':
        this.second = command.how === 'joins';
        return;
      case 'check now':
      case 'kill -9':
      case 'restart':
      case 'freeze':
      case 'database':
        return;
      default:
        return command satisfies never;
    }
  }

  private remove(name: string): void {
    for (const child of childrenOf(this.resources, name)) this.remove(child);
    this.resources.delete(name);
  }
}

/** What the API shows of an endpoint or an alert. */
export interface Shown {
  name: string;
  /** Of an endpoint. */
  status?: string;
  /** Of an alert. */
  triggered?: boolean;
}

/** How the resources should look once everything has been checked often enough. Empty when they do. */
export function misfits(world: Model, shown: readonly Shown[]): string[] {
  return shown.flatMap(({ name, status, triggered }) => {
    const resource = world.resources.get(name);
    const endpoint = resource?.kind === 'alert' ? resource.parent : name;
    if (!resource || endpoint === null) return [];
    const isFailing = world.modeOf(endpoint) !== 'ok';
    const expected = world.isActive(endpoint) ? (isFailing ? 'down' : 'up') : 'paused';
    if (status !== undefined && status !== expected) return [`${name} is ${status} and should be ${expected}`];
    const fires = isFailing && world.isActive(name);
    if (triggered !== undefined && triggered !== fires) return [`${name} has triggered=${triggered}, not ${fires}`];
    return [];
  });
}
