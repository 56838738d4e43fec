import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { NetModule } from '../platform/net/net.module';
import { CheckerRegistry } from './checker.registry';
import { DnsChecker } from './dns.checker';
import { HttpProbe } from './http-probe';
import { HttpChecker } from './http.checker';
import { HttpsChecker } from './https.checker';
import { IcmpCapability } from './icmp-capability';
import { IcmpChecker } from './icmp.checker';
import { SshChecker } from './ssh.checker';
import { SystemResolvers } from './system-resolvers';
import { TcpChecker } from './tcp.checker';

/** The shelf of checkers: one provider line each. */
@Module({
  imports: [DiscoveryModule, NetModule],
  providers: [
    CheckerRegistry,
    HttpProbe,
    HttpChecker,
    HttpsChecker,
    TcpChecker,
    { provide: SystemResolvers, useFactory: () => new SystemResolvers() },
    DnsChecker,
    { provide: IcmpCapability, useFactory: () => new IcmpCapability() },
    IcmpChecker,
    SshChecker,
  ],
  exports: [CheckerRegistry, IcmpCapability],
})
export class CheckerModule {}
