import { Injectable } from '@nestjs/common';
import type { CreateContactDto } from '../../../contact/contact.dto';
import type { Contact } from '../../../contact/contact.entity';
import { ContactService } from '../../../contact/contact.service';
import { ChannelSettings } from '../../../delivery/config/channel-settings';
import type { DeclaredContact } from '../../document/document';
import { filled, storedIn } from '../kept-secrets';
import type { Match } from '../matching';
import type { Planned } from '../plan';
import { missingSecret } from '../plan-findings';
import { CONTACT_DEFAULTS, sentFields } from '../sent-fields';
import { asSeen, noteGuesses, type Planning, planned } from './planning';
import { refusesShown } from './hidden-values';

@Injectable()
export class ContactChanges {
  constructor(
    private readonly contacts: ContactService,
    private readonly channels: ChannelSettings,
  ) {}

  /** Plans the contacts. `rows` contains the contacts by UUID, and is updated to their planned state. */
  *plan(
    planning: Planning,
    matches: readonly Match<DeclaredContact, Contact>[],
    rows: Map<string, Contact>,
  ): Iterable<Planned<CreateContactDto>[]> {
    for (const match of matches) yield this.planOne(planning, match, rows);
  }

  private planOne(
    planning: Planning,
    match: Match<DeclaredContact, Contact>,
    rows: Map<string, Contact>,
  ): Planned<CreateContactDto>[] {
    const { declared, present, pointer, id } = match;
    const isHidden = (path: readonly (string | number)[]): boolean => this.channels.hidesAt(declared.type, path);
    if (refusesShown(planning, `${pointer}/config`, declared.config, isHidden)) return [];
    const kept = present?.type === declared.type ? this.contacts.masked(present) : {};
    const config = filled(declared.config, storedIn(kept));
    for (const secret of config.missing) planning.findings.add(missingSecret(`${pointer}/config`, secret));
    if (config.missing.length > 0) return [];
    const dto = {
      ...sentFields(declared, ['config'], CONTACT_DEFAULTS),
      config: config.value,
    } as unknown as CreateContactDto;
    const preview = planning.findings.attempt(pointer, () =>
      asSeen(planning, kept, dto, (sent) => this.contacts.preview(planning.caller, present, id, sent)),
    );
    if (!preview) return [];
    noteGuesses(planning, preview, () => this.channels.namedSecrets(dto.type, dto.config));
    rows.set(id, preview.contact);
    planning.findings.noteGenerated(match.path, preview.generatedKeys);
    return [planned(planning, match, preview, dto)];
  }
}
