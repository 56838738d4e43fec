import { Module } from '@nestjs/common';
import { ProbeTokens } from '../platform/access/probe-tokens';
import { ProbeDirectory } from './probe-directory';
import { StoredProbeTokens } from './stored-probe-tokens';

/** Probes: the same program at other places, each a location; by which tokens they call. */
@Module({
  providers: [ProbeDirectory, StoredProbeTokens, { provide: ProbeTokens, useExisting: StoredProbeTokens }],
  exports: [ProbeDirectory, ProbeTokens],
})
export class ProbeModule {}
