import { Injectable } from '@nestjs/common';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { isIP } from 'node:net';
import { Config } from '../../config/config';
import { BoundedMap } from '../../cache/bounded-map';
import { classify, readings } from './address-class';
import { bracketed, normalizeHost } from './host-name';
import { INTERNAL_REFUSAL, isInternalName } from './internal-name';

/**
 * The addresses that checks and notifications of one organization may connect to. Every outgoing connection checks the
 * exact address it then connects to: a literal, every resolved address, every redirect hop.
 */
export interface EgressRule {
  /**
   * Returns `null` if the address may be dialed, otherwise a short public reason ("link-local addresses are refused").
   */
  refusal(address: string): string | null;
  /**
   * The organization (UUID), or `null` for the operator. Resources shared between organizations are divided fairly by
   * it.
   */
  readonly organization: string | null;
  /** False for organizations that must learn nothing about the operator's network. */
  readonly allowsPrivate: boolean;
  /** If false, names that only the operator's network knows are not even looked up. */
  readonly allowsInternalNames: boolean;
  /** True for the Default organization, which belongs to the operator. */
  readonly isDefault?: boolean;
}

/** The operator's own connections, such as to the mail server in the settings. They may go anywhere. */
export const OPERATORS_EGRESS: EgressRule = {
  refusal: () => null,
  organization: null,
  allowsPrivate: true,
  allowsInternalNames: true,
};

/**
 * Connections to hosts from the settings that others may influence, such as a single sign-on provider. They may reach
 * the operator's network, but never cloud metadata.
 */
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

/** Returns the message about a refused host for the user who named it. */
export const refusalText = (host: string, refusal: string): string =>
  `The egress policy of this monitor does not allow ${bracketed(host)}: ${refusal}.`;

/** Returns why a host name is refused for every organization before any lookup, or `null`. */
export const refusalOfName = (name: string): string | null =>
  METADATA_NAMES.has(name.toLowerCase().replace(/\.$/, '')) ? 'cloud metadata names are refused' : null;

/** Returns why a rule refuses to look up an internal name, or `null`. */
export const refusalOfInternalName = (name: string, rule: EgressRule): string | null =>
  !rule.allowsInternalNames && isInternalName(name) ? INTERNAL_REFUSAL : null;

/** Returns true for names that mean this machine without any lookup (RFC 6761). */
export const isLocalhostName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * The operator's policy on outgoing connections. Link-local, cloud metadata, unspecified, multicast, and broadcast
 * addresses are always refused. Then `EGRESS_DENY` applies, then `EGRESS_ALLOW`. All other reserved addresses are
 * refused. Private, loopback, and carrier-grade NAT addresses follow `EGRESS_PRIVATE`.
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

  /**
   * Returns the rule of one organization. Holders of a key of the Default organization run the machine, hence `auto`.
   */
  forOrganization({ id, isDefault }: { id: string | null; isDefault: boolean }): EgressRule {
    const mode = this.privateMode;
    const allowsPrivate = mode === 'allow' || (mode === 'auto' && isDefault);
    return new OrganizationRule(id, isDefault, allowsPrivate, allowsPrivate ? this.trusted : this.untrusted);
  }

  /** Returns the rule for the network of a probe. The settings of this service describe a different network. */
  elsewhere({ allowsPrivate }: { allowsPrivate: boolean }): EgressRule {
    return new OrganizationRule(null, false, allowsPrivate, allowsPrivate ? this.anywhere : this.anywherePublic);
  }

  /**
   * Returns the rule for checks that a service assigns to a probe. The stricter of both policies applies. If the
   * service allows no private addresses, EGRESS_ALLOW of the probe does not open any.
   */
  forAssigned({ organization, allowPrivate }: { organization: string; allowPrivate: boolean }): EgressRule {
    const allowsPrivate = allowPrivate && this.privateMode !== 'deny';
    const rule = allowsPrivate ? this.trusted : allowPrivate ? this.untrusted : this.publicOnly;
    return new OrganizationRule(organization, allowPrivate, allowsPrivate, rule);
  }

  /**
   * Judges a host as written, without any lookup: literals in every notation, `localhost`, metadata names, and internal
   * names. `null` means that it isn't refused so far. Its addresses are judged again at each connection.
   */
  refusalOfHost(host: string, rule: EgressRule): string | null {
    const text = host.replace(/%[^\]]*/s, '');
    const name = normalizeHost(text) ?? text;
    if (isIP(name)) return rule.refusal(name);
    if (isLocalhostName(name)) return rule.refusal('127.0.0.1');
    return refusalOfName(name) ?? refusalOfInternalName(name, rule);
  }
}

/** How many judged addresses each rule remembers, because endpoints are checked repeatedly. */
const MAX_KNOWN = 10_000;

/** There is one per stored definition, so it holds references only. */
class OrganizationRule implements EgressRule {
  constructor(
    readonly organization: string | null,
    readonly isDefault: boolean,
    readonly allowsPrivate: boolean,
    private readonly rule: CidrRule,
  ) {}

  /** If the operator allows an organization into parts of the network, it may also look up names there. */
  get allowsInternalNames(): boolean {
    return this.allowsPrivate || this.rule.listsInternal;
  }

  refusal(address: string): string | null {
    return this.rule.refusal(address);
  }
}

class CidrRule {
  /** Whether `EGRESS_ALLOW` lists any address that isn't public. */
  readonly listsInternal: boolean;
  /** The refusal of each address, or `null` if it is allowed. */
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
