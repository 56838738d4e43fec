import { Injectable } from '@nestjs/common';
import type { CreateAlertDto } from '../../../alert/alert.dto';
import { DeclaredAlerts } from '../../../alert/declared-alerts.service';
import type { HeldContact } from '../../../contact/contact-store';
import type { Contact } from '../../../contact/contact.entity';
import { ChannelSettings } from '../../../delivery/config/channel-settings';
import type { Route } from '../../../delivery/route';
import type { Alert } from '../../../alert/alert.entity';
import { formatId } from '../../../platform/ids/id';
import { filled, storedIn } from '../kept-secrets';
import type { AlertMatch } from '../matches';
import type { PlannedAlert } from '../plan';
import { missingSecret } from '../plan-findings';
import type { References } from '../references';
import { ALERT_DEFAULTS, sentFields } from '../sent-fields';
import { noSuch } from './endpoint-changes';
import { asSeen, noteGuesses, type Planning, planned } from './planning';
import { refusesShown } from './hidden-values';

@Injectable()
export class AlertChanges {
  constructor(
    private readonly alerts: DeclaredAlerts,
    private readonly channels: ChannelSettings,
  ) {}

  /** Plans the alerts. `contacts` contains the contacts in their planned state, by UUID. */
  *plan(
    planning: Planning,
    matches: readonly AlertMatch[],
    contacts: ReadonlyMap<string, Contact>,
  ): Iterable<PlannedAlert[]> {
    const stored = new Map(planning.state.contacts.map((contact) => [contact.id, heldOf(contact)]));
    for (const match of matches) yield this.planOne(planning, match, contacts, stored);
  }

  private planOne(
    planning: Planning,
    match: AlertMatch,
    contacts: ReadonlyMap<string, Contact>,
    stored: ReadonlyMap<string, HeldContact>,
  ): PlannedAlert[] {
    const { declared, present, pointer, id, endpoint, contactId } = match;
    const { findings, caller, references } = planning;
    if (declared.contact !== undefined && contactId === null) {
      findings.add(noSuch('contact', declared.contact, `${pointer}/contact`));
      return [];
    }
    const isHidden = (path: readonly (string | number)[]): boolean => this.channels.hidesAt(declared.type ?? '', path);
    if (refusesShown(planning, `${pointer}/config`, declared.config, isHidden)) return [];
    const named = contactId === null ? undefined : contacts.get(contactId);
    // The contact itself has errors, so its alerts can't be planned.
    if (contactId !== null && !named) return [];
    const contact = named ? heldOf(named) : null;
    const route = present && routeOf(present, stored);
    const kept = present && route && route.type === declared.type ? this.alerts.masked(present, route) : {};
    const config = filled(declared.config, storedIn(kept));
    for (const secret of config.missing) findings.add(missingSecret(`${pointer}/config`, secret));
    if (config.missing.length > 0) return [];
    const dto = {
      ...sentFields(declared, ['config', 'contact'], { ...ALERT_DEFAULTS, ...defaultsOf(contact) }),
      ...(declared.config !== undefined && { config: config.value }),
      ...(contactId !== null && { contact_id: formatId('contact', contactId) }),
    } as unknown as CreateAlertDto;
    const preview = findings.attempt(pointer, () =>
      asSeen(planning, kept, dto, (sent) =>
        present && route
          ? this.alerts.preview(caller, present, route, sent, contact)
          : this.alerts.previewNew(caller, { id, endpointId: endpoint.id, dto: sent }, contact),
      ),
    );
    if (!preview) return [];
    noteGuesses(planning, preview, () => this.channels.namedSecrets(dto.type ?? '', dto.config ?? {}));
    findings.noteGenerated(match.path, preview.generatedKeys);
    const sides = {
      before: preview.before && readable(preview.before, references),
      after: readable(preview.after, references),
      hidden: preview.hidden,
    };
    return [{ ...planned(planning, match, sides, dto), endpointId: endpoint.id }];
  }
}

/** Leaves out `remind_every`, where `null` means no reminders, regardless of the contact's default. */
function defaultsOf(contact: HeldContact | null): object {
  const { remind_every: _, ...defaults } = contact?.defaults ?? {};
  return defaults;
}

const heldOf = ({ id, type, config, destination, defaults }: Contact): HeldContact => ({
  contactId: id,
  type,
  config,
  destination,
  defaults,
});

/** Returns an alert's current destination, or `null` if its contact was deleted between two reads. */
function routeOf(alert: Alert, contacts: ReadonlyMap<string, HeldContact>): Route | null {
  const { contactId, type, config, destination } = alert;
  if (contactId !== null) return contacts.get(contactId) ?? null;
  return config && { contactId, type, config, destination };
}

/**
 * Replaces the contact's ID with its key, and leaves out the contact's type and config and the fields that the key path
 * already shows.
 */
function readable(view: object, references: References): object {
  const { contact_id, endpoint_id: _, type, config, ...rule } = view as Record<string, unknown>;
  const isOwn = contact_id === null;
  return {
    ...(isOwn ? { type, config } : { contact: references.pathOfPublic('contact', contact_id) }),
    ...rule,
  };
}
