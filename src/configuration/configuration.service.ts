import { Injectable } from '@nestjs/common';
import type { Caller } from '../platform/access/caller';
import { may } from '../platform/access/permissions';
import { Database } from '../platform/database/database';
import { problems } from '../platform/problem/problem';
import { ApplyService } from './apply/apply.service';
import { readConfigurationDocument } from './document/document-shape';
import { resolveSecrets } from './document/secrets';
import { type ConfigurationPlanView, type PlanQuery, toPlanView } from './plan/plan.dto';
import { PlanTurns } from './plan/plan-turns';
import { Planner, type PlanRequest } from './plan/planner';
import { SecretGuesses } from './plan/secret-guesses';

export interface SentDocument {
  text: string;
  query: PlanQuery;
  /** This installation's hostname. */
  host: string | undefined;
}

/** Compares configuration documents with an organization's resources, and applies them. */
@Injectable()
export class ConfigurationService {
  constructor(
    private readonly database: Database,
    private readonly planner: Planner,
    private readonly turns: PlanTurns,
    private readonly applies: ApplyService,
    private readonly guesses: SecretGuesses,
  ) {}

  /** Returns the plan without writing anything. Throws `malformed_document`, and the same errors as `Planner.plan`. */
  async plan(caller: Caller, sent: SentDocument): Promise<ConfigurationPlanView> {
    const request = await this.requestOf(caller, sent);
    const { plan, digest } = await this.turns.take(request, () => this.planner.plan(this.database, request));
    return toPlanView(plan, { digest, isDone: false });
  }

  /**
   * Applies the whole document or nothing. Throws `malformed_document`, and the same errors as `ApplyService.apply`.
   */
  async apply(caller: Caller, sent: SentDocument): Promise<ConfigurationPlanView> {
    const request = await this.requestOf(caller, sent);
    return this.turns.take(request, () => this.applies.apply(request));
  }

  private async requestOf(caller: Caller, { text, query, host }: SentDocument): Promise<PlanRequest> {
    if (query.take_over && !may(caller, 'admin')) throw problems.insufficientRole('admin');
    const sent = await readConfigurationDocument(text, caller.orgId);
    const { document, given } = resolveSecrets(sent.document);
    return {
      caller,
      host,
      document,
      secrets: given,
      lineOf: (pointer) => sent.lineOf(pointer),
      countGuesses: (guesses) => this.guesses.count(caller.orgId, guesses),
      prune: query.prune ?? false,
      takesOver: query.take_over ?? false,
    };
  }
}
