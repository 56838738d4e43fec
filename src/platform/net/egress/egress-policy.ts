import { Injectable } from '@nestjs/common';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import { isIP } from 'node:net';
import { Config } from '../../config/config';
import { BoundedMap } from '../../cache/bounded-map';
import { classify, readings } from './address-class';
import { bracketed, normalizeHost } from './host-name';
import { INTERNAL_REFUSAL, isInternalName } from './internal-name';

/**
 * The addresses to which one organization's checks and notifications may connect. For every outgoing connection, the
 * exact address is checked before connecting: a literal, every resolved address, and every redirect hop.
 */
export interface EgressRule {
  /** Returns `null` if the address is allowed, otherwise a short public reason ("link-local addresses are refused"). */
  refusal(address: string): string | null;
  /**
   * The organization (UUID), or `null` for the operator. Resources that organizations share are divided fairly by this
   * value.
   */
  readonly organization: string | null;
  /** False for organizations that must not learn anything about the operator's network. */
  readonly allowsPrivate: boolean;
  /** If false, names that exist only in the operator's network are not even looked up. */
  readonly allowsInternalNames: boolean;
  /** True for the Default organization, which belongs to the operator. */
  readonly isDefault?: boolean;
}

/**
 * The rule for the operator's own connections, such as to the mail server in the settings. They may connect to any
 * address.
 */
export const OPERATORS_EGRESS: EgressRule = {
  refusal: () => null,
  organization: null,
  allowsPrivate: true,
  allowsInternalNames: true,
};

/**
 * The rule for connections to hosts in the settings that others may influence, such as a single sign-on provider. They
 * may reach the operator's network, but never cloud metadata.
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

/** Returns the message about a refused host, for the user who entered it. */
export const refusalText = (host: string, refusal: string): string =>
  `The egress policy of this monitor does not allow ${bracketed(host)}: ${refusal}.`;

/** Returns the reason why a hostname is refused for every organization before any lookup, or `null` if it isn't. */
export const refusalOfName = (name: string): string | null =>
  METADATA_NAMES.has(name.toLowerCase().replace(/\.$/, '')) ? 'cloud metadata names are refused' : null;

/** Returns the reason why a rule refuses to look up an internal name, or `null` if it doesn't. */
export const refusalOfInternalName = (name: string, rule: EgressRule): string | null =>
  !rule.allowsInternalNames && isInternalName(name) ? INTERNAL_REFUSAL : null;

/** Returns true for names that mean the local host without any lookup (RFC 6761). */
export const isLocalhostName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/**
 * The operator's policy for outgoing connections. Link-local, cloud metadata, unspecified, multicast, and broadcast
 * addresses are always refused. After that, `EGRESS_DENY` applies, then `EGRESS_ALLOW`. All other reserved addresses
 * are refused. For private, loopback, and carrier-grade NAT addresses, `EGRESS_PRIVATE` applies.
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
   * Returns the rule for one organization. Holders of a Default organization key also run the host, hence the value
   * `auto`.
   */
  forOrganization({ id, isDefault }: { id: string | null; isDefault: boolean }): EgressRule {
    const mode = this.privateMode;
    const allowsPrivate = mode === 'allow' || (mode === 'auto' && isDefault);
    return new OrganizationRule(id, isDefault, allowsPrivate, allowsPrivate ? this.trusted : this.untrusted);
  }

  /** Returns the rule for a probe's network. This service's settings describe a different network. */
  elsewhere({ allowsPrivate }: { allowsPrivate: boolean }): EgressRule {
    return new OrganizationRule(null, false, allowsPrivate, allowsPrivate ? this.anywhere : this.anywherePublic);
  }

  /**
   * Returns the rule for checks that a service assigns to a probe. The stricter of the two policies applies. If the
   * service doesn't allow private addresses, EGRESS_ALLOW on the probe doesn't allow any either.
   */
  forAssigned({ organization, allowPrivate }: { organization: string; allowPrivate: boolean }): EgressRule {
    const allowsPrivate = allowPrivate && this.privateMode !== 'deny';
    const rule = allowsPrivate ? this.trusted : allowPrivate ? this.untrusted : this.publicOnly;
    return new OrganizationRule(organization, allowPrivate, allowsPrivate, rule);
  }

  /**
   * Checks a host as written, without any lookup: literals in every notation, `localhost`, metadata names, and internal
   * names. `null` means that the host isn't refused so far. Its addresses are checked again for each connection.
   */
  refusalOfHost(host: string, rule: EgressRule): string | null {
    const text = host.replace(/%[^\]]*/s, '');
    const name = normalizeHost(text) ?? text;
    if (isIP(name)) return rule.refusal(name);
    if (isLocalhostName(name)) return rule.refusal('127.0.0.1');
    return refusalOfName(name) ?? refusalOfInternalName(name, rule);
  }
}

/** How many checked addresses each rule caches, because endpoints are checked repeatedly. */
const MAX_KNOWN = 10_000;

/** There is one instance per stored definition, so it holds only references. */
class OrganizationRule implements EgressRule {
  constructor(
    readonly organization: string | null,
    readonly isDefault: boolean,
    readonly allowsPrivate: boolean,
    private readonly rule: CidrRule,
  ) {}

  /**
   * If the operator grants an organization access to parts of the network, the organization may also resolve names
   * there.
   */
  get allowsInternalNames(): boolean {
    return this.allowsPrivate || this.rule.listsInternal;
  }

  refusal(address: string): string | null {
    return this.rule.refusal(address);
  }
}

class CidrRule {
  /** Whether `EGRESS_ALLOW` contains any address that isn't public. */
  readonly listsInternal: boolean;
  /** The refusal for each address, or `null` if the address is allowed. */
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
