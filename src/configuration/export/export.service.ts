import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Caller } from '../../platform/access/caller';
import { isExportedHidden } from '../../endpoint/settings/shown-settings';
import { Database } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { Declarations, ExportedConfigs } from './declarations';
import { DocumentWriter } from './document-writer';
import type { ExportQuery } from './export.dto';
import { JsonLayout, YamlLayout } from './layout';
import { headLines } from './notes';
import { readEndpoints, readRows } from './rows';
import { complete, withoutDefaults } from './without-defaults';

const [JSON_TYPE, YAML_TYPE] = ['application/json', 'application/yaml'];
/** The order of preference for a client that accepts any type. */
const OFFERED = [JSON_TYPE, YAML_TYPE, 'application/x-yaml', 'text/yaml'];

/** Exports an organization as a configuration document. */
@Injectable()
export class ExportService {
  constructor(
    private readonly database: Database,
    private readonly configs: ExportedConfigs,
    private readonly clock: Clock,
  ) {}

  /**
   * Responds with everything, or with the resources that one owner declares. Throws `conflict` for more than 32 MiB of
   * text.
   */
  async respond(caller: Caller, query: ExportQuery, request: Request, response: Response): Promise<void> {
    const accepted = request.accepts(OFFERED);
    const isYaml = accepted !== false && accepted !== JSON_TYPE;
    const { parts, notes } = await this.write(caller, query, isYaml ? new YamlLayout() : new JsonLayout());
    response.vary('Accept');
    response.setHeader('Content-Type', `${isYaml ? YAML_TYPE : JSON_TYPE}; charset=utf-8`);
    response.setHeader('Content-Disposition', `inline; filename="uptime.${isYaml ? 'yaml' : 'json'}"`);
    response.setHeader('X-Notes', String(notes.length));
    // A client that disconnects early isn't an error.
    await pipeline(Readable.from(parts), response).catch(() => undefined);
  }

  private async write(
    { orgId, orgName: organization, role }: Caller,
    { owner, full }: ExportQuery,
    layout: YamlLayout | JsonLayout,
  ): Promise<{ parts: readonly string[]; notes: readonly string[] }> {
    const at = this.clock.now();
    const rows = await readRows(this.database, orgId, at, (url) => isExportedHidden(url, role));
    const style = { role, chosen: full === true ? complete : withoutDefaults };
    const declarations = new Declarations(owner, at, rows, this.configs, style);
    const body = await new DocumentWriter(layout, declarations).write((ids) =>
      readEndpoints(this.database, orgId, ids),
    );
    const notes = declarations.notes.lines;
    const { resources } = body;
    const lines = headLines({ organization, owner, at, resources, secrets: declarations.secrets.all, notes });
    const head = layout.head({ version: 1, ...(owner !== undefined && { owner }) }, lines);
    return { parts: [head, ...body.parts], notes };
  }
}
