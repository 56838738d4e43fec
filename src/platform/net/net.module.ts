import { Module } from '@nestjs/common';
import { Dialer } from './dialer';
import { EgressPolicy } from './egress-policy';
import { HostResolver } from './host-resolver';
import { OutboundHttp } from './outbound-http';
import { TrustedRoots } from './trusted-roots';

/** The only way out: every connection the service makes goes through these. */
@Module({
  providers: [
    EgressPolicy,
    Dialer,
    OutboundHttp,
    { provide: HostResolver, useFactory: () => new HostResolver() },
    { provide: TrustedRoots, useFactory: () => new TrustedRoots() },
  ],
  exports: [EgressPolicy, Dialer, OutboundHttp, HostResolver, TrustedRoots],
})
export class NetModule {}
