import { Global, Module } from '@nestjs/common';
import { Dialer } from './dial/dialer';
import { EgressPolicy } from './egress/egress-policy';
import { HostResolver } from './dns/host-resolver';
import { BodyBudget } from './http/body-budget';
import { OutboundHttp } from './http/outbound-http';
import { TrustedRoots } from './dial/trusted-roots';

/**
 * Provides the only way to make outgoing connections. The service and its extensions use these providers for all of
 * them.
 */
@Global()
@Module({
  providers: [
    EgressPolicy,
    Dialer,
    OutboundHttp,
    { provide: BodyBudget, useFactory: () => new BodyBudget() },
    { provide: HostResolver, useFactory: () => new HostResolver() },
    { provide: TrustedRoots, useFactory: () => new TrustedRoots() },
  ],
  exports: [EgressPolicy, Dialer, OutboundHttp, BodyBudget, HostResolver, TrustedRoots],
})
export class NetModule {}
