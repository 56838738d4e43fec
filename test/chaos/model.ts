import type { ResponseMode } from '../harness/servers/switchable-server';
import type { Command, ProviderMode } from './commands';

export type Kind = 'website' | 'endpoint' | 'alert' | 'contact';
export type Fields = Readonly<Record<string, string | number | boolean>>;

/**
 * The intended state of a website, an endpoint, an alert, or a contact. An alert notifies `via` a contact. If that is
 * empty, it has its own channel and rotation. An alert to a pager has neither.
 */
export interface Resource {
  kind: Kind;
  name: string;
  parent: string | null;
  fields: Fields;
  /** No command edits it. */
  steady: boolean;
  /** Its target never fails. */
  calm: boolean;
}

/** Names of the direct children of a resource. */
export const childrenOf = (resources: ReadonlyMap<string, { parent: string | null }>, name: string): string[] =>
  [...resources].filter(([, { parent }]) => parent === name).map(([child]) => child);

/** Returns the fields after a change. An alert with a contact has no separate route. */
function changed(before: Fields, changes: Fields): Fields {
  const { channel, rotation, ...fields } = { ...before, ...changes };
  const hasRoute = channel !== undefined && rotation !== undefined && !fields['via'];
  return hasRoute ? { ...fields, channel, rotation } : fields;
}

/**
 * The intended state once every command has been carried out. It depends on the plan, never on the service's
 * responses.
 */
export class Model {
  readonly resources = new Map<string, Resource>();
  readonly providers = new Map<number, ProviderMode>();
  hasSecondInstance = false;
  private readonly targetModes = new Map<string, ResponseMode>();
  private nameCount = 0;

  newName(prefix: string): string {
    return `${prefix}${++this.nameCount}`;
  }

  of(kind: Kind): Resource[] {
    return [...this.resources.values()].filter((resource) => resource.kind === kind);
  }

  /** Returns how the endpoint's target responds. */
  modeOf(endpoint: string): ResponseMode {
    return this.targetModes.get(endpoint) ?? 'ok';
  }

  /** Returns whether the resource and everything above it is enabled. */
  isActive(name: string): boolean {
    const resource = this.resources.get(name);
    if (!resource || resource.fields['enabled'] !== true) return false;
    return resource.parent === null || this.isActive(resource.parent);
  }

  /** Returns the route of an alert: its own, or its contact's. */
  routeOf({ fields }: Resource): { channel: number; rotation: number } {
    const source = fields['via'] ? (this.resources.get(String(fields['via']))?.fields ?? {}) : fields;
    return { channel: Number(source['channel']), rotation: Number(source['rotation']) };
  }

  /** Every round starts with healthy providers. */
  healProviders(): void {
    this.providers.clear();
  }

  apply(command: Command): void {
    switch (command.do) {
      case 'create': {
        const { kind, name, parent, fields } = command;
        const marks = { steady: name.startsWith('steady'), calm: name.endsWith('-e0') };
        this.resources.set(name, { kind, name, parent, fields: changed({}, fields), ...marks });
        return;
      }
      case 'update': {
        const resource = this.resources.get(command.name);
        if (resource) resource.fields = changed(resource.fields, command.fields);
        return;
      }
      case 'detach': {
        const alert = this.resources.get(command.name);
        if (alert) alert.fields = changed(alert.fields, { via: '', ...this.routeOf(alert) });
        return;
      }
      case 'delete':
        if (command.replacement !== undefined) this.replace(command.name, command.replacement);
        return this.remove(command.name);
      case 'target':
        for (const name of command.names) this.targetModes.set(name, command.mode);
        return;
      case 'provider':
        this.providers.set(command.channel, command.mode);
        return;
      case 'second instance':
        this.hasSecondInstance = command.how === 'joins';
        return;
      case 'check now':
      case 'acknowledge':
      case 'incident':
      case 'reminders fall due':
      case 'kill -9':
      case 'restart':
      case 'freeze':
      case 'database':
      case 'probe':
      case 'line':
        return;
      default:
        return command satisfies never;
    }
  }

  private replace(contact: string, replacement: string): void {
    for (const alert of this.of('alert'))
      if (alert.fields['via'] === contact) alert.fields = { ...alert.fields, via: replacement };
  }

  private remove(name: string): void {
    for (const child of childrenOf(this.resources, name)) this.remove(child);
    this.resources.delete(name);
  }
}

/** The state of an endpoint or an alert, as the API lists it. */
export interface ShownState {
  name: string;
  /** Set for an endpoint. */
  status?: string;
  /** Set for an alert. */
  triggered?: boolean;
}

/** Returns the differences between the listed state and the model, once everything has been checked often enough. */
export function mismatches(model: Model, shown: readonly ShownState[]): string[] {
  return shown.flatMap(({ name, status, triggered }) => {
    const resource = model.resources.get(name);
    const endpoint = resource?.kind === 'alert' ? resource.parent : name;
    if (!resource || endpoint === null) return [];
    const isFailing = model.modeOf(endpoint) !== 'ok';
    const expected = model.isActive(endpoint) ? (isFailing ? 'down' : 'up') : 'paused';
    if (status !== undefined && status !== expected) return [`${name} is ${status} and should be ${expected}`];
    const shouldBeTriggered = isFailing && model.isActive(name);
    if (triggered !== undefined && triggered !== shouldBeTriggered)
      return [`${name} has triggered=${triggered}, not ${shouldBeTriggered}`];
    return [];
  });
}
