import { bracketed, normalizeHost } from '../../../../src/platform/net/egress/host-name';
import { isIP } from 'node:net';
import { isRecord } from '../../../../src/platform/text/json';
import type { DeclaredAssertion } from '../../../../src/configuration/document/document';
import { type Mapped, quoted } from './draft';
import type { Row } from '../file/row';

const DNS_PORT = 53;
const USUAL_PACKET = 56;
const DEFAULT_TYPE = 'A';

export function portCheck(monitor: Row): Mapped {
  const host = hostOf(monitor);
  const port = monitor.number('port');
  if (host === null) return noHost(monitor);
  if (port === null || !Number.isInteger(port) || port < 1 || port > 65_535)
    return { reason: `its port ${quoted(monitor.text('port'))} is not valid` };
  const [security, alert] = [monitor.text('smtpSecurity'), monitor.text('expectedTlsAlert')];
  return {
    draft: { type: 'TCP', url: `tcp://${bracketed(host)}:${port}` },
    differences: [
      ...(security !== '' && security !== 'none' && monitor.flag('expiryNotification')
        ? ['the connection does not use TLS, and the certificate is not checked']
        : []),
      ...(alert !== '' && alert !== 'none'
        ? [`the check does not wait for a TLS alert (${alert}): an open port is enough`]
        : []),
    ],
  };
}

export function pingCheck(monitor: Row): Mapped {
  const host = hostOf(monitor);
  if (host === null) return noHost(monitor);
  const [size, count] = [monitor.number('packetSize'), monitor.number('ping_count')];
  return {
    draft: { type: 'ICMP', url: `icmp://${bracketed(host)}` },
    differences: [
      ...(size !== null && size !== USUAL_PACKET ? [`the size of its packets (${size} bytes) cannot be set`] : []),
      ...(count !== null && count > 1 ? [`a check sends as many packets as it needs, not ${count}`] : []),
    ],
  };
}

export function dnsCheck(monitor: Row): Mapped {
  const name = monitor.text('hostname').trim();
  if (name === '') return noHost(monitor);
  const type = (monitor.text('dns_resolve_type') || DEFAULT_TYPE).toUpperCase();
  const differences: string[] = [];
  const asked = type === 'PTR' && isIP(name) !== 0 ? reverseName(name) : name;
  if (asked === null) return { reason: `the name ${quoted(name)} cannot be resolved` };
  const [first, ...others] = monitor.text('dns_resolve_server').replace(/\s/g, '').split(',').filter(Boolean);
  if (others.length > 0) differences.push(`only the resolver ${first} is used, not ${others.join(', ')}`);
  const host = first === undefined ? null : normalizeHost(first);
  if (first !== undefined && host === null) return { reason: `its resolver ${quoted(first)} is not a valid host` };
  const port = monitor.number('port') ?? DNS_PORT;
  const resolver = host === null ? '' : `//${bracketed(host)}${port === DNS_PORT ? '' : `:${port}`}/`;
  const { assertions, difference } = dnsConditions(monitor);
  if (difference !== null) differences.push(difference);
  return {
    draft: {
      type: 'DNS',
      url: `dns:${resolver}${asked}?type=${type}`,
      ...(assertions.length > 0 ? { assertions } : {}),
    },
    differences,
  };
}

/** Converts one condition on one record. Other conditions are reported as left out. */
function dnsConditions(monitor: Row): { assertions: DeclaredAssertion[]; difference: string | null } {
  const conditions = monitor.list('conditions') ?? [];
  if (conditions.length === 0) return { assertions: [], difference: null };
  const [only] = conditions;
  if (conditions.length === 1 && isRecord(only) && only['operator'] === 'contains') {
    const { value } = only;
    if (typeof value === 'string' && value !== '')
      return { assertions: [{ source: 'dns_record', comparison: 'contains', target: value }], difference: null };
  }
  const shown = quoted(JSON.stringify(conditions), 200);
  return { assertions: [], difference: `its conditions on the records are left out: ${shown}` };
}

/** Returns the reverse name, or `null` if this isn't an IP address. */
function reverseName(address: string): string | null {
  if (isIP(address) === 4) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = (text: string | undefined): string[] => (text ? text.split(':') : []);
  const [before, after] = [groups(head), groups(tail)];
  const missing = Math.max(0, 8 - before.length - after.length);
  const all = [...before, ...Array.from({ length: missing }, () => '0'), ...after];
  if (all.length !== 8 || !all.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return null;
  const digits = all.map((group) => group.padStart(4, '0')).join('');
  return `${[...digits].toReversed().join('.')}.ip6.arpa`;
}

const hostOf = (monitor: Row): string | null => normalizeHost(monitor.text('hostname').trim());

const noHost = (monitor: Row): Mapped => ({ reason: `its host ${quoted(monitor.text('hostname'))} is not valid` });
