import { Injectable } from '@nestjs/common';
import type { RecordedRequest } from '../channel/channel';
import { ChannelRegistry } from '../channel/channel.registry';
import { exampleOf, PREVIEWED_KINDS } from '../channel/kind/examples';
import { ChannelSettings } from '../delivery/config/channel-settings';
import { receivesKind } from '../delivery/receives-kind';
import type { Caller } from '../platform/access/caller';
import { Config } from '../platform/config/config';
import { MASK } from '../platform/secrets/mask';
import type { ContactPreviewView, PreviewContactDto, PreviewedMessageView } from './contact-preview.dto';

/** The links of a preview, if the service has no public URL. */
const EXAMPLE_URL = 'https://uptime.example.com';

/** Renders the messages of a contact. Stores nothing, sends nothing, and shows no credential. */
@Injectable()
export class ContactPreviewService {
  constructor(
    private readonly channels: ChannelSettings,
    private readonly registry: ChannelRegistry,
    private readonly config: Config,
  ) {}

  /** Throws: the same errors as creating the contact, except for its name and quotas. */
  async preview(caller: Caller, { type, config: sent }: PreviewContactDto): Promise<ContactPreviewView> {
    const config = this.channels.forPreview(caller, { type, config: sent });
    const receiver = this.registry.receiver(type, this.registry.destination(type, config));
    const messages: PreviewedMessageView[] = [];
    for (const kind of PREVIEWED_KINDS.filter((one) => receivesKind(one, receiver))) {
      const notification = exampleOf(kind, this.config.publicUrl ?? EXAMPLE_URL);
      const [request] = await this.registry.preview(type, notification, config);
      if (request) messages.push({ kind, ...request, headers: withoutCredentials(request) });
    }
    return { messages };
  }
}

/** Headers that are made from credentials. The credentials in the config are masked already. */
const withoutCredentials = ({ headers }: RecordedRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (name === 'authorization') return [name, `${value.split(' ')[0] ?? ''} ${MASK}`];
      return [name, name === 'webhook-signature' ? `v1,${MASK}` : value];
    }),
  );
