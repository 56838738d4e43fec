// The exports of `uptime-monitor/module`: everything that a module with routes and tables needs.
export { type Change, recordChange, recordChanges } from '../audit/audit-log';
export type { AuditAction } from '../audit/audited-change';
export { AlertResolved, AlertTriggered } from '../alert/episode/alert-events';
export { EndpointsStopped, EndpointStatusChanged, type StatusChange } from '../endpoint/endpoint-events';
export { type IncidentChange, IncidentChanged } from '../incident/incident-events';
export { PassiveResults } from '../monitoring/source/passive/passive-results';
export { OrganizationDeleted, OrganizationPurge } from '../identity/organization/organization-events';
export { Access, type Caller, CurrentCaller, OrgId } from '../platform/access/caller';
export { may, type Permission, type Role } from '../platform/access/permissions';
export { Database, type Sql, type TransactionLimits, type Tx, WorkerDatabase } from '../platform/database/database';
export { selectColumns } from '../platform/database/select-columns';
export { TransactionEvents } from '../platform/events/transaction-events';
export { Cursors, type PageRequest } from '../platform/http/cursors';
export { Idempotent, RefusesIdempotencyKey } from '../platform/http/idempotency/idempotent.decorator';
export { LocatedAt } from '../platform/http/location.interceptor';
export { CursorQuery, Page, PageQuery, QueryBoolean, QueryInteger } from '../platform/http/page';
export { HonoursIfMatch, RefusesIfMatch, WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
export { requireMatch } from '../platform/http/precondition/precondition';
export { tagged } from '../platform/http/precondition/entity-tags';
export {
  IsName,
  IsTimestamp,
  Nested,
  Nullable,
  ObjectList,
  Optional,
  QueryTimestamp,
  ReadOnlyField,
} from '../platform/http/validators';
export { formatId, newUuid, NIL_UUID, parseId } from '../platform/ids/id';
export { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
export { IsPublicId } from '../platform/ids/public-id.rule';
export { inBatches, type KeptRows, type Removal, type Retention, RetentionJob } from '../platform/jobs/retention.job';
export { BackgroundJob, BackgroundJobs, type JobOptions } from '../platform/jobs/background-job';
export {
  OutboundError,
  OutboundHttp,
  type OutboundRequest,
  type OutboundResponse,
} from '../platform/net/http/outbound-http';
export { EgressPolicy, type EgressRule } from '../platform/net/egress/egress-policy';
export { Metrics } from '../platform/observability/metrics';
export { type FieldProblem, Problem, type ProblemCode, problems } from '../platform/problem/problem';
export { BodyProblems, Problems } from '../platform/problem/problems.decorator';
export { Clock } from '../platform/time/clock';
export { WebsitePurge, WebsitesDeleted, WebsiteStarted, WebsiteStopped } from '../website/website-events';
