import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { NetModule } from '../platform/net/net.module';
import { CheckerRegistry } from './checker.registry';
import { DnsChecker } from './dns/dns.checker';
import { HttpCheck } from './http/http-check';
import { HttpChecker, HttpsChecker } from './http/http.checker';
import { JudgingTurns } from './http/judging-turns';
import { OAuthTokens } from './http/oauth-tokens';
import { IcmpTransports } from './icmp/icmp-transports';
import { IcmpChecker } from './icmp/icmp.checker';
import { SshChecker } from './ssh/ssh.checker';
import { SystemResolvers } from './dns/system-resolvers';
import { TcpChecker } from './tcp/tcp.checker';
import { DomainChecker } from './domain/domain.checker';
import { GrpcChecker } from './grpc/grpc.checker';
import { PostgresChecker } from './postgres/postgres.checker';
import { RedisChecker } from './redis/redis.checker';
import { UdpChecker } from './udp/udp.checker';
import { WebSocketChecker } from './websocket/websocket.checker';

@Module({
  imports: [DiscoveryModule, NetModule],
  providers: [
    CheckerRegistry,
    JudgingTurns,
    OAuthTokens,
    HttpCheck,
    HttpChecker,
    HttpsChecker,
    TcpChecker,
    UdpChecker,
    WebSocketChecker,
    GrpcChecker,
    PostgresChecker,
    RedisChecker,
    DomainChecker,
    { provide: SystemResolvers, useFactory: () => new SystemResolvers() },
    DnsChecker,
    { provide: IcmpTransports, useFactory: () => new IcmpTransports() },
    IcmpChecker,
    SshChecker,
  ],
  exports: [CheckerRegistry, IcmpTransports],
})
export class CheckerModule {}
