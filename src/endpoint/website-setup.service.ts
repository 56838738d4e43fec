import { Injectable } from '@nestjs/common';
import type { Caller } from '../platform/access/caller';
import { Database, type Tx } from '../platform/database/database';
import { taggedLike } from '../platform/http/precondition/entity-tags';
import { newUuid } from '../platform/ids/id';
import { type Findings, NO_FINDINGS, refuse, together, under } from '../platform/problem/findings';
import type { FieldProblem } from '../platform/problem/problem';
import { parseWebsiteUrl } from '../website/website-url';
import { WebsiteService } from '../website/website.service';
import { namedLocations, type ProbesByLocation } from './locations/locations';
import { type Circumstances, EndpointSettingsResolver } from './settings/endpoint-settings';
import type { CreateEndpointDto, NewEndpointQuery } from './endpoint.dto';
import { EndpointRepository, type NewEndpoint } from './endpoint.repository';
import { EndpointService } from './endpoint.service';
import { holdParents, parentIds } from './suppression/dependencies';
import type { CreatedWebsiteView, CreateWebsiteDto } from './website-setup.dto';

/** Creates a website with its first endpoints in one transaction. */
@Injectable()
export class WebsiteSetupService {
  constructor(
    private readonly database: Database,
    private readonly websites: WebsiteService,
    private readonly endpoints: EndpointService,
    private readonly repository: EndpointRepository,
    private readonly settings: EndpointSettingsResolver,
  ) {}

  /** Throws the errors of all endpoints combined. */
  async create(caller: Caller, dto: CreateWebsiteDto, query: NewEndpointQuery = {}): Promise<CreatedWebsiteView> {
    const probes = await this.probesIn(caller, dto.endpoints);
    const parts = (dto.endpoints ?? []).map((sent, i) => this.examine({ caller, probes, stored: null }, sent, i));
    refuse(together([urlFindings(dto), ...parts.map(({ findings }) => findings)]));
    const made = parts.map(({ endpoint }) => endpoint);
    const { id } = await this.database.transaction(async (tx) => {
      const creating = made.length > 0 ? await this.endpoints.announce(tx, caller.orgId, query) : null;
      await this.holdParents(tx, caller.orgId, made);
      const website = await this.websites.add(tx, caller.orgId, dto);
      if (made.length > 0) await this.endpoints.add(tx, website, made, creating);
      return website;
    });
    const view = await this.websites.get(caller.orgId, id);
    if (!dto.endpoints) return view;
    const ids = made.map((endpoint) => endpoint.id);
    return taggedLike(view, { ...view, endpoints: await this.repository.viewAll(caller, ids) });
  }

  /** Returns the problems for which `create` would refuse these fields. */
  async findingsIn(caller: Caller, { url, endpoints = [] }: Partial<CreateWebsiteDto>): Promise<Findings> {
    const by = { caller, probes: await this.probesIn(caller, endpoints), stored: null };
    const ofEndpoints = endpoints.map((sent, i) =>
      under(`/endpoints/${i}`, together([this.settings.findingsIn(newUuid(), sent, by), websiteFindings(sent)])),
    );
    return together([urlFindings({ url }), ...ofEndpoints]);
  }

  private probesIn(
    { orgId }: Caller,
    endpoints: readonly Partial<CreateEndpointDto>[] = [],
  ): Promise<ProbesByLocation> {
    return this.settings.probesIn(this.database, orgId, endpoints.map(namedLocations));
  }

  private holdParents(tx: Tx, orgId: string, made: readonly NewEndpoint[]): Promise<void> {
    const parents = [...new Set(made.flatMap(({ dependsOn }) => dependsOn))].sort();
    const placeOf = (id: string): number => made.findIndex(({ dependsOn }) => dependsOn.includes(id));
    return holdParents(tx, orgId, parents, (id) => `/endpoints/${placeOf(id)}/depends_on`);
  }

  private examine(
    by: Circumstances,
    sent: CreateEndpointDto,
    i: number,
  ): { endpoint: NewEndpoint; findings: Findings } {
    const id = newUuid();
    const { settings, address, findings } = this.settings.examine(id, sent, by);
    return {
      endpoint: { id, settings, address, dependsOn: parentIds(sent.depends_on ?? []) },
      findings: under(`/endpoints/${i}`, together([findings, websiteFindings(sent)])),
    };
  }
}

const NOT_YET: FieldProblem = {
  pointer: '/website_id',
  code: 'immutable',
  message: 'website_id must be left out: the endpoints belong to the new website',
};

const websiteFindings = ({ website_id }: Partial<CreateEndpointDto>): Findings => ({
  invalid: website_id === undefined ? [] : [NOT_YET],
  forbidden: [],
});

function urlFindings({ url }: Partial<CreateWebsiteDto>): Findings {
  if (url === undefined) return NO_FINDINGS;
  const parsed = parseWebsiteUrl(url);
  return 'problem' in parsed ? { invalid: [parsed.problem], forbidden: [] } : NO_FINDINGS;
}
