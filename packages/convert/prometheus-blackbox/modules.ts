import { isIP } from 'node:net';
import { DNS_RECORD_TYPES } from '../../../src/checker/dns/dns-target';
import { bracketed } from '../../../src/platform/net/egress/host-name';
import type { NewEndpoint } from '../document-builder';
import type { Fields } from './fields';
import { type MakeSecret, readHttp } from './http-module';

/** How a module probes a target, without name and schedule, or why there is no such check. */
export type Probe = { probe: Pick<NewEndpoint, 'type' | 'url'> & Partial<NewEndpoint> } | { refused: string };

export function probeOf(module: Fields, target: string, secret: MakeSecret): Probe {
  const prober = module.text('prober');
  const inner = module.inner(prober === '' ? 'none' : prober);
  const probe = byProber(prober, inner, target, secret);
  for (const name of ['preferred_ip_protocol', 'ip_protocol_fallback'])
    if (inner.has(name)) inner.note(name, 'is not used: IPv4 and IPv6 addresses are both used');
  if (inner.has('source_ip_address')) inner.note('source_ip_address', 'is not used');
  inner.noteRest();
  module.noteRest();
  return probe;
}

function byProber(prober: string, inner: Fields, target: string, secret: MakeSecret): Probe {
  switch (prober) {
    case 'http':
      return http(inner, target, secret);
    case 'tcp':
      return tcp(inner, target);
    case 'icmp':
      return { probe: { type: 'ICMP', url: `icmp://${isIP(target) === 6 ? bracketed(target) : target}` } };
    case 'dns':
      return dns(inner, target);
    default:
      return { refused: `the prober ${prober || '(none)'} is not supported` };
  }
}

function http(inner: Fields, target: string, secret: MakeSecret): Probe {
  const url = /^https?:\/\//i.test(target) ? target : `http://${target}`;
  const read = readHttp(inner, url, secret);
  if ('refused' in read) return read;
  return { probe: { type: /^https:/i.test(url) ? 'HTTPS' : 'HTTP', url: url.replace(/#.*/s, ''), ...read.settings } };
}

function tcp(inner: Fields, target: string): Probe {
  if (inner.flag('tls')) inner.note('tls', 'is not used: the port is checked, but not TLS or the certificate');
  if (inner.list('query_response').length > 0)
    inner.note('query_response', 'is not used: the port is checked, and nothing is sent');
  if (inner.has('tls_config')) inner.note('tls_config', 'is not used');
  return { probe: { type: 'TCP', url: `tcp://${target.replace(/^tcp:\/\//, '')}` } };
}

/** Here, the target is the DNS server. */
function dns(inner: Fields, target: string): Probe {
  const type = (inner.text('query_type') || 'ANY').toUpperCase();
  const name = inner.text('query_name').replace(/(?<=.)\.$/, '');
  if (name === '') return { refused: 'dns.query_name is missing' };
  if (!DNS_RECORD_TYPES.some((known) => known === type))
    return { refused: `DNS records of type ${type} are not supported` };
  const codes = inner.list('valid_rcodes').map(String);
  if (codes.length > 0 && !codes.includes('NOERROR'))
    return { refused: `it expects the response code ${codes.join(' or ')}, which is always a failure here` };
  if (codes.length > 1) inner.note('valid_rcodes', 'other than NOERROR are failures here');
  if (inner.flag('dns_over_tls')) return { refused: 'DNS over TLS is not supported' };
  for (const section of ['validate_answer_rrs', 'validate_authority_rrs', 'validate_additional_rrs'])
    if (inner.has(section)) inner.note(section, 'is ignored, because a record of this type is enough');
  if (inner.text('transport_protocol') === 'tcp')
    inner.note('transport_protocol', 'is not used: the check tries UDP first');
  const server = isIP(target) === 6 ? bracketed(target) : target;
  return { probe: { type: 'DNS', url: `dns://${server}/${name}?type=${type}` } };
}
