const list = (text: string): string[] => text.trim().split(/\s+/);

/**
 * Lowercase words that most leaked passwords consist of. A password needs more than these words. Each of them counts as
 * two characters.
 */
export const COMMON_WORDS: readonly string[] = list(`
  password passwd passwort pass word passphrase pwd motdepasse contrasena contraseña senha parola haslo heslo wachtwoord losenord
  kennwort geheim secret secreto welcome willkommen bienvenue bemvindo hello hallo bonjour hola letmein openup opensesame sesame
  changeme change changeit default admin administrator root user username login logon access guest test tester testing demo
  example sample temp temporary master mypassword thepassword newpassword oldpassword nopassword server service system support
  manager office company business secure security internet computer laptop network database backup oracle cisco linux ubuntu
  debian windows microsoft google facebook twitter instagram youtube linkedin apple iphone android samsung nokia github gitlab
  docker kubernetes jenkins grafana prometheus uptime monitor monitoring status dashboard production staging development developer
  qwerty qwertz azerty asdf asdfgh zxcv zxcvbn yxcvbn qazwsx qweasd abc abcd abcdef iloveyou iloveu loveyou ilove love lovely lover
  loveme forever always together family friend friends mother father mommy daddy mama papa sister brother baby babygirl babyboy
  princess prince queen king angel angels heaven god jesus christ jesuschrist blessed faith hope peace freedom liberty justice
  happy lucky smile sunshine sunny sunset sunrise rainbow moonlight starlight star stars moon sky summer winter spring autumn fall
  january february march april june july august september october november december monday tuesday wednesday thursday friday
  saturday sunday weekend birthday christmas easter halloween holiday vacation today tomorrow yesterday morning night
  football baseball basketball soccer hockey tennis golf cricket rugby volleyball softball racing player champion winner
  yankees cowboys lakers steelers packers redsox chelsea arsenal liverpool manchester united barcelona realmadrid juventus bayern
  dragon monkey tiger lion eagle falcon hunter hawk wolf bear shark dolphin panther phoenix cobra snake spider horse horses pony
  kitty kitten cat cats dog dogs doggy puppy bunny rabbit mouse chicken fish butterfly flower flowers rose daisy lily jasmine
  banana orange apple cherry strawberry peach lemon coffee cookie cookies chocolate cheese pepper ginger honey sugar candy pizza
  beer whiskey purple yellow green blue black white silver golden gold diamond crystal ruby pearl shadow ghost devil demon
  superman batman spiderman ironman hulk superstar super hero ninja samurai warrior knight wizard magic merlin gandalf frodo
  starwars startrek skywalker vader yoda matrix pokemon pikachu mario zelda minecraft fortnite naruto goku dragonball disney
  mickey minnie snoopy garfield simpsons metallica nirvana slipknot eminem elvis beatles music guitar piano rock rockstar
  michael jordan jennifer jessica ashley amanda nicole daniel andrew joshua matthew robert thomas william charles charlie george
  david james john joseph richard anthony christopher samantha elizabeth victoria alexander alexandra maria anna martin peter
  stefan andreas sebastian florian lisa laura sarah sandra barbara patricia maggie buster bailey harley hannah
  mustang corvette ferrari porsche mercedes bmw toyota honda yamaha suzuki trustno trust noone nothing
  something everything killer money cash dollar million rich power player gamer games game letter number
  one two three four five six seven eight nine ten zero first second third
  hundred thousand new york newyork london paris berlin madrid roma moscow texas california florida america england germany
  france canada australia brasil india pakistan china japan russia ukraine europe world
  please thankyou thanks sorry goodbye good bad best great cool awesome perfect amazing beautiful pretty
`);

/** Well-known phrases that are long enough for a password, in lower case and without spaces. */
export const COMMON_LINES: ReadonlySet<string> = new Set(
  list(`
  thequickbrownfox thequickbrownfoxjumps thequickbrownfoxjumpsover thequickbrownfoxjumpsoverthelazydog
  loremipsumdolor loremipsumdolorsit loremipsumdolorsitamet loremipsumdolorsitametconsectetur tobeornottobe
  tobeornottobethatisthequestion maytheforcebewithyou iamyourfather lukeiamyourfather nevergonnagiveyouup onceuponatime
  onceuponatimeinagalaxyfarfaraway alongtimeagoinagalaxyfarfaraway winteriscoming winteriscomingsoon youshallnotpass
  youknownothingjonsnow mypreciousring onering onringtorulethemall oneringtorulethemall infinityandbeyond toinfinityandbeyond
  houstonwehaveaproblem elementarymydearwatson franklymydearidontgiveadamn illbeback hastalavistababy lifeislikeaboxofchocolates
  keepcalmandcarryon carpediemcarpediem livelaughlove livelaughloveforever allyouneedislove letitbeletitbe
  imagineallthepeople stairwaytoheaven hotelcalifornia bohemianrhapsody smellsliketeenspirit wearethechampions wewillrockyou
  everybreathyoutake happybirthdaytoyou twinkletwinklelittlestar rowrowrowyourboat maryhadalittlelamb humptydumptysatonawall
  jacksonvillejaguars sanfrancisco49ers newenglandpatriots manchesterunited manchestercity realmadridcf fcbarcelona liverpoolfc
  youllneverwalkalone inthebeginning inthebeginninggodcreated ourfatherwhoartinheaven thelordismyshepherd jesuslovesyou
  godisgoodallthetime callmeishmael itwasthebestoftimes ithinkthereforeiam knowledgeispower timeismoney honestyisthebestpolicy
  practicemakesperfect betterlatethannever actionsspeaklouderthanwords abcdefghijklmnopqrstuvwxyz opensesameopensesame
  abracadabraabracadabra supercalifragilistic supercalifragilisticexpialidocious antidisestablishmentarianism
  thisismypassword thisisapassword thisisnotapassword thisisasecret thisisasecretpassword thisismysecret mypasswordispassword
  mypasswordissecret iforgotmypassword idontknowmypassword enteryourpassword pleasechangeme pleasechangethis
  pleaseletmein dontforgetthis dontforgetme rememberthis rememberme rememberthispassword mysecurepassword averysecurepassword
  verysecurepassword verystrongpassword mystrongpassword
  supersecretpassword topsecretpassword
  ihatepasswords ihatethispassword yourpasswordhere insertpasswordhere passwordmanager trustnooneatall
  welcometothejungle welcometomyworld helloworldhelloworld helloworldprogram dontworrybehappy hakunamatata nowisthetimeforallgoodmen
  threelittlepigs threeblindmice onetwothreefour onetwothreefourfive onetwothreefourfivesix ilovemyfamily ilovemymother
  ilovemydaughter ilovemychildren ilovemywife ilovemyhusband ilovemydog ilovemycat ilovemykids iloveyouforever iloveyousomuch
  iloveyoubaby iloveyouverymuch mothersmaidenname firstsecondthird redgreenblueyellow springsummerautumnwinter
  mondaytuesdaywednesday januaryfebruarymarch passwordstandard mailcreated momsanaladventure
`),
);
