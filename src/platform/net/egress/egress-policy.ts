import { Injectable } from '@nestjs/common';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { isIP } from 'node:net';
import { Config } from '../../config/config';
import { BoundedMap } from '../../cache/bounded-map';
import { classify, readings } from './address-class';
import { bracketed, normalizeHost } from './host-name';
import { INTERNAL_REFUSAL, isInternalName } from './internal-name';

/**
 * Which addresses the checks and notifications of one organization may connect to. Every outgoing connection asks it
 * about the address itself, the one it then connects to: a literal, every resolved address, every redirect hop.
 */
export interface EgressRule {
  /** `null` when the address may be dialed, otherwise a short public reason ("link-local addresses are refused"). */
  refusal(address: string): string | null;
  /** For whom (uuid): what is shared between organizations is shared fairly by it. `null`: the operator. */
  readonly organization: string | null;
  /** False for organizations that must learn nothing about the operator's own network. */
  readonly allowsPrivate: boolean;
  /** False: names that only the operator's own network knows are not even asked for. */
  readonly allowsInternalNames: boolean;
  /** True for the organization of who runs the installation. */
  readonly isDefault?: boolean;
}

/** The operator's own connections, such as those to the mail server of the settings: they may go anywhere. */
export const OPERATORS_EGRESS: EgressRule = {
  refusal: () => null,
  organization: null,
  allowsPrivate: true,
  allowsInternalNames: true,
};

/** What the settings name and others speak for, such as a single sign-on: also the operator's own network, never a cloud's metadata. */
export const SETTINGS_EGRESS: EgressRule = {
  ...OPERATORS_EGRESS,
  refusal(address) {
    const forbidden = readings(address)
      .map(classify)
      .find(({ tier }) => tier === 'forbidden');
    return forbidden ? `${forbidden.kind} addresses are refused` : null;
  },
};

const METADATA_NAMES = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** What whoever asked for a host is told of its refusal. */
export const refusalText = (host: string, refusal: string): string =>
  `The egress policy of this monitor does not allow ${bracketed(host)}: ${refusal}.`;

/** Why a host name is refused for every organization before any lookup, or `null`. */
export const refusalOfName = (name: string): string | null =>
  METADATA_NAMES.has(name.toLowerCase().replace(/\.$/, '')) ? 'cloud metadata names are refused' : null;

/** Why a rule refuses to ask for a name before any lookup, or `null`. */
export const refusalOfInternalName = (name: string, rule: EgressRule): string | null =>
  !rule.allowsInternalNames && isInternalName(name) ? INTERNAL_REFUSAL : null;

/** True for the names that mean this machine without any lookup (RFC 6761). */
export const isLocalhostName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * The operator's policy on outgoing connections. Link-local, cloud metadata, unspecified, multicast and broadcast
 * addresses are refused whatever is configured. `EGRESS_DENY` comes next, then `EGRESS_ALLOW`; what neither names is
 * refused when reserved, and follows `EGRESS_PRIVATE` when private, loopback or carrier-grade NAT.
 */
@Injectable()
export class EgressPolicy {
  private readonly privateMode: Config['egressPrivate'];
  private readonly trusted: CidrRule;
  private readonly untrusted: CidrRule;
  private readonly anywhere = new CidrRule(true, [], []);
  private readonly anywherePublic = new CidrRule(false, [], []);
  private readonly publicOnly: CidrRule;

  constructor(config: Config) {
    this.privateMode = config.egressPrivate;
    const allow = config.egressAllow.map((cidr) => ipaddr.parseCIDR(cidr));
    const deny = config.egressDeny.map((cidr) => ipaddr.parseCIDR(cidr));
    this.trusted = new CidrRule(true, allow, deny);
    this.untrusted = new CidrRule(false, allow, deny);
    this.publicOnly = new CidrRule(false, [], deny);
  }

  /** The rule of one organization. Holders of a key of the Default organization run the machine, hence `auto`. */
  forOrganization({ id, isDefault }: { id: string | null; isDefault: boolean }): EgressRule {
    const mode = this.privateMode;
    const allowsPrivate = mode === 'allow' || (mode === 'auto' && isDefault);
    return new OrganizationRule(id, isDefault, allowsPrivate, allowsPrivate ? this.trusted : this.untrusted);
  }

  /** The rule where a probe stands: what the settings here name is another network. */
  elsewhere({ allowsPrivate }: { allowsPrivate: boolean }): EgressRule {
    return new OrganizationRule(null, false, allowsPrivate, allowsPrivate ? this.anywhere : this.anywherePublic);
  }

  /**
   * The rule of what a service has a probe check: the stricter of both holds. Where the service lets it reach no private
   * addresses, EGRESS_ALLOW of the probe opens none.
   */
  forAssigned({ organization, allowPrivate }: { organization: string; allowPrivate: boolean }): EgressRule {
    const allowsPrivate = allowPrivate && this.privateMode !== 'deny';
    const rule = allowsPrivate ? this.trusted : allowPrivate ? this.untrusted : this.publicOnly;
    return new OrganizationRule(organization, allowPrivate, allowsPrivate, rule);
  }

  /**
   * Judges a host as it was written, without any lookup: literals in every notation, `localhost`, metadata and internal names.
   * `null` means that it is not refused so far; its addresses are judged again at each connection.
   */
  refusalOfHost(host: string, rule: EgressRule): string | null {
    const text = host.replace(/%[^\]]*/s, '');
    const name = normalizeHost(text) ?? text;
    if (isIP(name)) return rule.refusal(name);
    if (isLocalhostName(name)) return rule.refusal('127.0.0.1');
    return refusalOfName(name) ?? refusalOfInternalName(name, rule);
  }
}

/** Endpoints are checked again and again: what a rule says of their addresses is kept, up to this many for each rule. */
const MAX_KNOWN = 10_000;

/** One per definition that is kept: it holds references only. */
class OrganizationRule implements EgressRule {
  constructor(
    readonly organization: string | null,
    readonly isDefault: boolean,
    readonly allowsPrivate: boolean,
    private readonly rule: CidrRule,
  ) {}

  /** An operator who lets an organization into parts of the network lets it ask for what is there. */
  get allowsInternalNames(): boolean {
    return this.allowsPrivate || this.rule.listsInternal;
  }

  refusal(address: string): string | null {
    return this.rule.refusal(address);
  }
}

class CidrRule {
  /** Whether `EGRESS_ALLOW` names anything that is not public. */
  readonly listsInternal: boolean;
  /** Address → refusal, `null` when it is allowed. */
  private readonly refusals = new BoundedMap<string, string | null>(MAX_KNOWN);

  constructor(
    private readonly allowsPrivate: boolean,
    private readonly allow: [IPv4 | IPv6, number][],
    private readonly deny: [IPv4 | IPv6, number][],
  ) {
    this.listsInternal = allow.some(([network]) => classify(network).tier !== 'public');
  }

  refusal(address: string): string | null {
    const known = this.refusals.get(address);
    if (known !== undefined) return known;
    const refusal = this.judge(address);
    this.refusals.set(address, refusal);
    return refusal;
  }

  private judge(address: string): string | null {
    const forms = readings(address);
    if (forms.length === 0) return 'values that are not IP addresses are refused';
    for (const form of forms) {
      const refusal = this.refusalOf(form);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  private refusalOf(reading: IPv4 | IPv6): string | null {
    const { tier, kind } = classify(reading);
    if (tier === 'forbidden') return `${kind} addresses are refused`;
    if (lists(this.deny, reading)) return 'addresses in EGRESS_DENY are refused';
    if (tier === 'public' || (tier === 'private' && this.allowsPrivate)) return null;
    return lists(this.allow, reading) ? null : `${kind} addresses are refused`;
  }
}

const lists = (cidrs: [IPv4 | IPv6, number][], address: IPv4 | IPv6): boolean =>
  cidrs.some(([network, bits]) =>
    address instanceof ipaddr.IPv4
      ? network instanceof ipaddr.IPv4 && address.match(network, bits)
      : network instanceof ipaddr.IPv6 && address.match(network, bits),
  );
