import { bodyFrom, type ConvertedBody } from '../body-template';

/** Kuma's variables in a body, with spaces and quotes removed, and their placeholders. */
const VARIABLES: Readonly<Record<string, string>> = {
  msg: 'text',
  name: 'data.endpoint.name',
  status: 'state',
  hostnameOrURL: 'data.endpoint.url',
  'monitorJSON.name': 'data.endpoint.name',
  'monitorJSON.url': 'data.endpoint.url',
  'monitorJSON.hostname': 'data.endpoint.url',
  'monitorJSON.id': 'data.endpoint.id',
  'monitorJSON.type': 'data.endpoint.type',
  'heartbeatJSON.msg': 'message',
  'heartbeatJSON.time': 'timestamp',
  'heartbeatJSON.status': 'state',
  'heartbeatJSON.ping': 'data.check.duration_ms',
};

/** Variables whose text differs: Kuma writes a symbol and a word, or 0 and 1. */
const OTHER_TEXT = ['status', 'heartbeatJSON.status'];

/** Converts a body with Liquid variables. Conditions, loops, and filters have no counterpart. */
export function kumaBody(liquid: string): ConvertedBody {
  if (/\{%|\{\{-|-\}\}/.test(liquid))
    return { differences: ['its own body has conditions or loops, so it is not used'] };
  const differences = new Set<string>();
  const unknown = new Set<string>();
  const text = liquid.replace(/\{\{([^{}]*)\}\}/g, (_found, expression: string) => {
    const name = expression.trim().replace(/\[\s*["'](\w+)["']\s*\]/g, '.$1');
    const path = Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined;
    if (path === undefined) unknown.add(name);
    if (OTHER_TEXT.includes(name)) differences.add('its body contains the state as "up" or "down"');
    return `{{${path ?? 'title'}}}`;
  });
  if (unknown.size > 0) return { differences: [`its own body has no counterpart here (${[...unknown].join(', ')})`] };
  return bodyFrom(text, [...differences]);
}
