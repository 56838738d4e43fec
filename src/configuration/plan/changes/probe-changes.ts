import type { ProbesByLocation } from '../../../endpoint/locations/locations';
import { type CreateProbeDto, probeSettings } from '../../../probe/probe.dto';
import type { DeclaredProbe } from '../../document/document';
import type { Match } from '../matching';
import type { Planned } from '../plan';
import { PROBE_DEFAULTS, sentFields } from '../sent-fields';
import type { PresentProbe } from '../state/present-state';
import { type Planning, planned } from './planning';

type ProbeMatch = Match<DeclaredProbe, PresentProbe>;

const sentOf = ({ declared }: ProbeMatch) => sentFields(declared, [], PROBE_DEFAULTS) as unknown as CreateProbeDto;

const settingsAfter = (match: ProbeMatch) => ({
  name: match.declared.key,
  region: '',
  enabled: true,
  allow_private: false,
  ...(match.present && probeSettings(match.present)),
  ...sentOf(match),
});

export function* planProbes(planning: Planning, matches: readonly ProbeMatch[]): Iterable<Planned<CreateProbeDto>[]> {
  for (const match of matches) {
    if (!match.present) planning.findings.notes.push({ key: match.path, message: WITHOUT_TOKEN });
    const sides = { before: match.present && probeSettings(match.present), after: settingsAfter(match) };
    yield [planned(planning, match, sides, sentOf(match))];
  }
}

const WITHOUT_TOKEN = 'The probe is created without a token and cannot connect until it has one: rotate its token.';

/** Returns the probes that endpoints may use, in their planned state. */
export function probesToBe(present: ProbesByLocation, matches: readonly ProbeMatch[]): ProbesByLocation {
  const probes = new Map(present);
  for (const match of matches) {
    const { key, name, region, enabled, allow_private: allowPrivate } = settingsAfter(match);
    const { number = 0, orgId = null, types = null } = match.present ?? {};
    const known = { id: match.id, number, orgId, types, online: false, ...probes.get(key) };
    probes.set(key, { ...known, location: key, name, region, enabled, allowPrivate });
  }
  return probes;
}
