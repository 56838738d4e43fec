import { Module, type OnModuleInit } from '@nestjs/common';
import { OrganizationPurge } from '../identity/organization/organization-events';
import { ProbeTokens } from '../platform/access/probe-tokens';
import type { Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import { ProbeController } from './probe.controller';
import { AnyProbes } from './any-probes';
import { ProbeDirectory } from './probe-directory';
import { ProbeService } from './probe.service';
import { SharedProbeController } from './shared-probe.controller';
import { StoredProbeTokens } from './stored-probe-tokens';

/** Probes run the same program in other places. Each probe is a location and has a token. */
@Module({
  controllers: [ProbeController, SharedProbeController],
  providers: [
    AnyProbes,
    ProbeService,
    ProbeDirectory,
    StoredProbeTokens,
    { provide: ProbeTokens, useExisting: StoredProbeTokens },
  ],
  exports: [AnyProbes, ProbeService, ProbeDirectory, ProbeTokens],
})
export class ProbeModule implements OnModuleInit {
  constructor(private readonly events: TransactionEvents) {}

  onModuleInit(): void {
    this.events.on(OrganizationPurge, removeSome);
  }
}

const BATCH = 1000;

/** Performs one step in removing a deleted organization, whose tokens are already rejected. */
async function removeSome(step: OrganizationPurge, tx: Tx): Promise<void> {
  const removed = await tx.query(
    `DELETE FROM probe WHERE id IN (SELECT id FROM probe WHERE org_id = $1 LIMIT ${BATCH}) RETURNING 1`,
    [step.orgId],
  );
  if (removed.length === BATCH) step.leave();
}
