/**
 * The names of amenities, accessibility features and needs in five languages. This is the only table of synonyms: the
 * names on one line mean the same, so a playroom with one of them matches a search for another.
 */
import type { AccessibilityFeature } from "../catalogue/Playroom.ts"

/**
 * What a family can't do without. Unlike an amenity it is never met by a part of its words, and a search says of each
 * playroom whether it is met (`Needs.ts`).
 */
export type Need =
  | AccessibilityFeature
  | "nut_free"
  | "egg_free"
  | "gluten_free"
  | "milk_free"
  | "soy_free"
  | "sesame_free"
  | "fish_free"
  | "latex_free"
  | "allergy_aware"
  | "drop_off"

/** What people ask for by one of several names. */
export interface Concept {
  readonly need?: Need
  /** Its names, by which playrooms have it and people ask for it. */
  readonly names: ReadonlyArray<string>
  /**
   * Further names by which people ask for it. In a text of a playroom they may mean something else ("a quiet corner").
   */
  readonly asked: ReadonlyArray<string>
  /** What must not be there. The need is met if a text excludes one of these: "nothing with nuts", "nut-free". */
  readonly without: ReadonlyArray<string>
  /** The same, but only next to a word like "free" or "allergy": "egg hunt" is no need. */
  readonly withoutIfSaid: ReadonlyArray<string>
  /** What a text says where the need is not met: "grown-ups stay on site". */
  readonly opposite: ReadonlyArray<string>
}

const list = (names: string | undefined): ReadonlyArray<string> => names?.split(", ") ?? []

const concept = (
  names: string,
  more: { need?: Need; asked?: string; without?: string; withoutIfSaid?: string; opposite?: string } = {}
): Concept => ({
  ...(more.need === undefined ? {} : { need: more.need }),
  names: list(names === "" ? undefined : names),
  asked: list(more.asked),
  without: list(more.without),
  withoutIfSaid: list(more.withoutIfSaid),
  opposite: list(more.opposite)
})

/** All concepts. A name may stand on two lines: then either is meant. */
export const concepts: ReadonlyArray<Concept> = [
  concept("", {
    need: "nut_free",
    without:
      "nut, nuts, peanut, peanuts, groundnuts, tree nut, tree nuts, hazelnut, hazelnuts, almond, almonds, walnut, walnuts, cashew, cashews, pistachio, pistachios, pecan, pecans, nuss, nüsse, nüssen, erdnuss, erdnüsse, erdnüssen, haselnuss, haselnüsse, walnuss, walnüsse, cashewkerne, pistazie, pistazien, mandel, mandeln, schalenfrüchte, noix, noix de cajou, noisette, noisettes, amande, amandes, pistache, pistaches, arachide, arachides, cacahuète, cacahuètes, cacahouètes, fruit à coque, fruits à coque, fruto seco, frutos secos, nuez, nueces, cacahuete, cacahuetes, cacahuates, maní, almendra, almendras, avellana, avellanas, anacardos, pistacho, pistachos, nötter, jordnötter, ナッツ, ピーナッツ, ピーナツ, 木の実, 落花生, くるみ, クルミ, アーモンド, カシューナッツ"
  }),
  concept("", {
    need: "egg_free",
    withoutIfSaid:
      "egg, eggs, ei, eier, eiern, hühnerei, œuf, œufs, oeuf, oeufs, huevo, huevos, ägg, 卵, たまご, 玉子, タマゴ"
  }),
  concept("", {
    need: "gluten_free",
    without:
      "gluten, glutens, coeliac, coeliacs, celiac, celiacs, coeliac disease, celiac disease, coeliac child, celiac child, zöliakie, maladie cœliaque, cœliaque, céliaque, celiaco, celíaca, celíaquía, enfermedad celíaca, celiaki, グルテン, セリアック病, セリアック",
    withoutIfSaid: "wheat, weizen, blé, trigo, vete, 小麦"
  }),
  concept("", {
    need: "milk_free",
    without:
      "lactose, laktose, lactosa, laktos, cow's milk, kuhmilch, lait de vache, leche de vaca, dairy, 乳製品, 乳糖",
    withoutIfSaid: "milk, milch, lait, leche, lácteos, produits laitiers, mjölk, 牛乳, ミルク"
  }),
  concept("", { need: "soy_free", withoutIfSaid: "soy, soya, soja, 大豆" }),
  concept("", { need: "sesame_free", withoutIfSaid: "sesame, sesam, sésame, sésamo, ごま, ゴマ, 胡麻" }),
  concept("", {
    need: "fish_free",
    withoutIfSaid:
      "fish, shellfish, seafood, fisch, meeresfrüchte, poisson, crustacés, fruits de mer, pescado, marisco, mariscos, fisk, 魚, 甲殻類, えび, エビ, かに, カニ"
  }),
  concept("", { need: "latex_free", withoutIfSaid: "latex, látex, ラテックス" }),
  concept(
    "allergy friendly, allergy aware, allergen free, allergen aware, allergikerfreundlich, allergenfrei, sans allergènes, sin alérgenos, アレルギー対応",
    {
      need: "allergy_aware",
      asked:
        "allergy, allergies, allergic, allergen, allergens, allergie, allergien, allergiker, allergisch, allergène, allergènes, allergique, allergiques, alergia, alergias, alérgeno, alérgenos, alérgico, alérgica, アレルギー"
    }
  ),
  concept(
    "step free access, step free, level access, wheelchair accessible, wheelchair access, wheelchair friendly, disabled access, barrier free, ADA compliant, barrierefrei, rollstuhlgerecht, rollstuhlzugänglich, rollstuhlgeeignet, stufenlos, accessible en fauteuil roulant, accès fauteuil roulant, accès PMR, accessible PMR, plain-pied, accesible en silla de ruedas, sin escalones, sin barreras, バリアフリー, 段差なし, 車椅子対応, 車いす対応",
    {
      need: "step_free_access",
      asked:
        "wheelchair, wheelchairs, wheelchair user, accessible, accessibility, disabled, disability, rollstuhl, rollstuhlfahrer, fauteuil roulant, PMR, silla de ruedas, discapacidad, accesible, handicap, handicapé, handicapée, handicapés, behindert, behinderung, behindertengerecht, discapacitado, discapacitada, 車椅子, 車いす, 車イス"
    }
  ),
  concept("ramp on request, portable ramp, スロープ", { need: "ramp_on_request", asked: "ramp, rampe, rampa" }),
  concept("passenger lift, lift to all floors, elevator, aufzug, fahrstuhl, ascenseur, ascensor, エレベーター", {
    need: "lift",
    asked: "lift"
  }),
  concept(
    "accessible toilet, accessible toilets, accessible restroom, accessible bathroom, accessible WC, wheelchair accessible toilet, disabled toilet, disabled WC, ADA restroom, ADA compliant restroom, barrierefreies WC, barrierefreie Toilette, rollstuhlgerechtes WC, rollstuhlgerechte Toilette, behindertentoilette, toilettes accessibles, toilettes handicapés, WC handicapés, toilettes PMR, WC PMR, baño accesible, aseo accesible, aseo adaptado, 多目的トイレ, 多機能トイレ, バリアフリートイレ",
    { need: "accessible_toilet" }
  ),
  concept("changing places toilet, changing places, toilette für alle, adult changing table", {
    need: "changing_places_toilet"
  }),
  concept(
    "accessible parking, disabled parking, blue badge parking, behindertenparkplatz, parking PMR, parking handicapé, parking handicapés, stationnement PMR, aparcamiento para discapacitados, 障害者用駐車場",
    { need: "accessible_parking" }
  ),
  concept(
    "hearing loop, induction loop, induktionsschleife, boucle magnétique, boucle à induction, bucle magnético, ヒアリングループ",
    {
      need: "hearing_loop"
    }
  ),
  concept(
    "quiet hours, quiet hour, quiet session, quiet time, sensory friendly hour, sensory friendly, sensory session, sensory hour, low sensory session, low sensory, relaxed session, autism friendly, autism hour, ruhige stunde, ruhestunde, reizarm, reizarme stunde, autismusfreundlich, heure calme, heures calmes, hora tranquila, horas tranquilas, hora silenciosa, クワイエットアワー, センサリーフレンドリー",
    {
      need: "quiet_hours",
      asked:
        "quiet, quieter, SEN, autism, autistic, sensory, ruhig, ruhige, leise, autismus, autistisch, sensorisch, calme, autisme, autiste, sensoriel, tranquilo, tranquila, silencio, autismo, autista, sensorial, 静か, 自閉症, 感覚過敏, センサリー"
    }
  ),
  concept("sensory room, sensory den, snoezelen, snoezelenraum, salle sensorielle, sala sensorial, センサリールーム", {
    need: "sensory_room",
    asked:
      "autism, autistic, sensory, autismus, autistisch, sensorisch, autisme, autiste, sensoriel, autismo, autista, sensorial, 自閉症, 感覚過敏, センサリー"
  }),
  // A "drop-off bay" is for cars, and luggage can be left, too: a text promises it only by what children do there.
  concept(
    "drop off party, drop off parties, drop off birthday, drop off session, drop off play, drop off hour, drop off welcome, drop off available, drop off possible, drop off allowed, drop and go, drop off your children, drop off your child, drop off the children, leave your children with us, leave your child with us, leave the children with us, parents may leave, parents can leave, parents are free to leave, parents need not stay, kinder können abgegeben werden, kinder dürfen ohne eltern bleiben, ohne elternbegleitung möglich, les parents peuvent partir, vous pouvez déposer vos enfants, los padres pueden irse, pueden quedarse sin sus padres, föräldrar kan gå, お子様をお預かり, お子さまをお預かり, 付き添い不要, 付添い不要",
    {
      need: "drop_off",
      asked:
        "drop off, dropoff, dropping off, drop the kids off, drop kids off, drop the children off, drop children off, drop my kids off, drop my child off, drop my children off, drop my son off, drop my daughter off, drop them off, leave the kids, leave the children, leave the child, leave kids, leave children, leave my child, leave my kids, leave my children, leave my son, leave my daughter, leave our kids, leave our children, without parents, without the parents, without their parents, without a parent, without adults, without grown ups, unaccompanied, kinder abgeben, kind abgeben, kinder dalassen, kind dalassen, kinder allein lassen, kinder alleine lassen, kind allein lassen, kind alleine lassen, ohne eltern, ohne die eltern, ohne begleitung, ohne elternbegleitung, bringen und abholen, déposer les enfants, déposer mes enfants, déposer mon enfant, déposer nos enfants, déposer ses enfants, déposer son enfant, laisser les enfants, laisser mes enfants, laisser mon enfant, laisser nos enfants, laisser ses enfants, laisser son enfant, sans parents, sans les parents, sans leurs parents, sans accompagnateur, dejar a los niños, dejar los niños, dejar niños, dejar al niño, dejar a la niña, dejar a mi hijo, dejar a mi hija, dejar a mis hijos, sin padres, sin los padres, sin sus padres, sin acompañante, sin acompañantes, 預ける, 預けて, 預けたい, 預けられる, お預かり, 預かり, 親なし, 保護者なし, 付き添いなし, 子どもだけ, 子供だけ, お子様だけ, 母子分離",
      opposite:
        "no drop off, not a drop off, grown ups stay, grown ups must stay, grown ups play too, adults stay, adults must stay, adult must stay, parents stay, parents must stay, parent must stay, carers stay, carers must stay, accompanied by an adult, accompanied by a parent, accompanied by a grown up, no unaccompanied children, left unattended, left alone, supervise your own, supervise your children, adult supervision required, eltern bleiben, elternteil bleibt, aufsichtspflicht, nur in begleitung, nur mit begleitung, in begleitung eines erwachsenen, les parents restent, sous la surveillance des parents, sous la surveillance de leurs parents, sous la responsabilité des parents, sous la responsabilité de leurs parents, accompagnés d'un adulte, accompagné d'un adulte, présence d'un adulte, présence d'un parent, los padres se quedan, los padres permanecen, acompañados de un adulto, acompañados por un adulto, bajo la supervisión, vuxna är med, vuxna stannar, 保護者同伴, 保護者の同伴, 保護者の付き添い, 保護者の付添い"
    }
  ),
  concept(
    "parking, car park, car parking, free parking, parking lot, parkplatz, parkplätze, stationnement, aparcamiento, estacionamiento, 駐車場"
  ),
  concept(
    "cafe, coffee, coffee shop, coffee bar, cafeteria, family cafe, kaffee, spielcafé, familiencafé, elterncafé, kindercafé, café-poussette, salon de thé, cafetería, 親子カフェ, カフェ"
  ),
  concept(
    "baby changing, baby change, changing table, changing room for babies, nappy changing, diaper changing, wickeltisch, wickelraum, wickelmöglichkeit, table à langer, cambiador, cambiador de bebés, おむつ替え, おむつ交換台"
  ),
  concept(
    "changing rooms, changing room, locker room, umkleide, umkleiden, umkleideraum, umkleidekabine, umkleidekabinen, vestiaire, vestiaires, vestuario, vestuarios, omklädningsrum, 更衣室"
  ),
  concept("swimming pool, swimming pools, schwimmbad, schwimmbecken, schwimmhalle, simhall"),
  concept("water park, waterpark, wasserpark, parc aquatique, parque acuático, ウォーターパーク"),
  concept("sand pit, sandpit, sandbox, sandkasten, bac à sable, arenero, sandlåda, 砂場"),
  concept("board games, board game, brettspiele, jeux de société, juegos de mesa, ボードゲーム"),
  concept("baby shower, baby showers, fête prénatale, ベビーシャワー"),
  concept(
    "high chair, high chairs, highchair, highchairs, hochstuhl, hochstühle, chaise haute, chaises hautes, trona, tronas, ベビーチェア, ハイチェア"
  ),
  concept(
    "nursing room, breastfeeding corner, breastfeeding room, breastfeeding, stillecke, stillraum, salle d'allaitement, sala de lactancia, 授乳室"
  ),
  concept(
    "buggy park, pram parking, stroller parking, pushchair parking, buggy parking, kinderwagenparkplatz, kinderwagenstellplatz, garage à poussettes, aparcamiento de cochecitos, stroller, strollers, pushchair, pushchairs, kinderwagen, poussette, poussettes, cochecito, cochecitos, ベビーカー置き場, ベビーカー"
  ),
  concept("ball pool, ball pit, bällebad, piscine à balles, piscina de bolas, parque de bolas, ボールプール"),
  concept("soft play, softplay, soft play area, juegos blandos, ソフトプレイ"),
  concept(
    "trampoline, trampolines, trampoline park, trampolin, trampolinhalle, trampolín, camas elásticas, parque de trampolines, トランポリン"
  ),
  concept(
    "climbing wall, rock wall, bouldering, climbing, kletterwand, klettern, boulderwand, mur d'escalade, escalade, rocódromo, escalada, ボルダリング"
  ),
  concept("climbing frame, climbing dome, jungle gym, klettergerüst, ジャングルジム"),
  concept("slide, slides, rutsche, toboggan, tobogán, 滑り台, すべり台"),
  concept("air conditioning, aircon, air con, AC, klimaanlage, climatisation, aire acondicionado, エアコン, 冷房"),
  concept("wifi, wi-fi, wlan, free wifi, internet, 無線LAN"),
  concept(
    "birthday, birthdays, birthday party, birthday parties, kids party, children's party, kindergeburtstag, kindergeburtstage, geburtstag, geburtstage, geburtstagsfeier, geburtstagsparty, anniversaire, anniversaires, fête d'anniversaire, goûter d'anniversaire, cumpleaños, fiesta de cumpleaños, fiestas de cumpleaños, fiesta infantil, barnkalas, kalas, 誕生日, 誕生日会, 誕生会, お誕生日会, 誕生日パーティー, バースデー, party, parties, celebration, feier, geburtstagsfest, kinderfest, kinderparty, familienfest, familienfeier, fête, fêtes, boum, fiesta, fiestas, celebración, cumple, cumples, mottoparty, themenparty, パーティー, パーティ, christening, christenings, baptism, baptisms, naming day, taufe, taufen, tauffeier, taufparty, baptême, baptêmes, bautizo, bautizos, bautismo, 洗礼式, mums meet up, mum meet up, mums meetup, mum meetup, moms meet up, mom meet up, moms meetup, mom meetup, müttertreff, müttertreffen, mamatreff, mamatreffen, réunion de mamans, réunion entre mamans, rencontre de mamans, rencontre entre mamans, quedada de mamás, reunión de mamás, encuentro de mamás, ママ会, ママ友会"
  ),
  concept(
    "party room, birthday room, partyraum, geburtstagsraum, salle d'anniversaire, sala de fiestas, sala de cumpleaños, パーティールーム"
  ),
  concept("garden, yard, outdoor area, outdoor space, outside space, outdoor play, garten, jardin, jardín, 庭"),
  concept("kitchen, kitchenette, küche, cuisine, cocina, キッチン"),
  concept("messy play, painting, malen, peinture, pintura"),
  concept(
    "babies, baby, infants, babys, säugling, säuglinge, bébé, bébés, nourrissons, krabbelkinder, bebé, bebés, bebis, 赤ちゃん, 乳児, ベビー"
  ),
  concept(
    "toddler group, toddler groups, toddler session, toddler sessions, toddler morning, toddler mornings, baby group, baby groups, playgroup, playgroups, play group, parent and toddler, parent and baby, parent and child, mum and baby, mum and toddler, mother and toddler, baby and toddler, babies and toddlers, stay and play, krabbelgruppe, krabbelgruppen, krabbelstunde, krabbeltreff, spielgruppe, spielgruppen, babygruppe, babytreff, eltern-kind-gruppe, eltern-kind-treff, mutter-kind-gruppe, groupe de jeu, groupe bébé, groupe de bébés, matinée bébé, matinée bébés, éveil bébé, éveil, parents-bébés, parent-enfant, grupo de juego, grupo de bebés, grupo de crianza, bebés y familias, 親子サークル, 育児サークル, ベビーサークル, 親子教室, mums meet up, mum meet up, mums meetup, mum meetup, moms meet up, mom meet up, moms meetup, mom meetup, müttertreff, müttertreffen, mamatreff, mamatreffen, réunion de mamans, réunion entre mamans, rencontre de mamans, rencontre entre mamans, quedada de mamás, reunión de mamás, encuentro de mamás, ママ会, ママ友会"
  ),
  concept(
    "circus, circus school, circus skills, zirkus, zirkusschule, zirkusparty, zirkustraining, zirkuskurs, cirque, école de cirque, circo, escuela de circo, cirkus, サーカス"
  ),
  concept(
    "face painting, face painter, kinderschminken, schminken, maquillage, pintacaras, ansiktsmålning, フェイスペイント"
  ),
  concept(
    "bouncy castle, bouncy castles, jumping castle, bounce house, inflatables, hüpfburg, hüpfburgen, château gonflable, châteaux gonflables, structures gonflables, castillo hinchable, castillos hinchables, hoppborg, ふわふわ, エアー遊具"
  ),
  concept(
    "treasure hunt, schatzsuche, schnitzeljagd, chasse au trésor, chasses au trésor, búsqueda del tesoro, skattjakt, 宝探し"
  ),
  concept(
    "puppet show, puppet theatre, puppet theater, puppets, puppentheater, kasperletheater, figurentheater, marionnettes, spectacle de marionnettes, théâtre de marionnettes, guignol, títeres, teatro de títeres, marionetas, dockteater, 人形劇"
  ),
  concept(
    "crafts, arts and crafts, art corner, craft table, basteln, bastelecke, bastelwerkstatt, activités manuelles, loisirs créatifs, manualidades, pyssel, 工作, クラフト"
  ),
  concept(
    "gymnastics, turnen, kinderturnen, eltern-kind-turnen, gymnastique, motricité, baby gym, gimnasia, psicomotricidad, 体操"
  ),
  concept("pirate, pirates, pirat, piraten, pirata, piratas, 海賊"),
  concept(
    "princess, princesses, prinzessin, prinzessinnen, princesse, princesses, princesa, princesas, prinsess, プリンセス, お姫様"
  ),
  concept("dinosaur, dinosaurs, dino, dinos, dinosaurier, dinosaure, dinosaures, dinosaurio, dinosaurios, 恐竜"),
  concept(
    "magic show, magician, magic, zauberer, zaubershow, zauberkünstler, magicien, magie, spectacle de magie, mago, magia, trollkarl, マジック, マジックショー, 手品"
  ),
  concept("disco, kinderdisco, discothèque, discoteca, ディスコ"),
  concept("music, singing, musik, singen, musique, música, 音楽, リトミック"),
  concept("planetarium, sternenhimmel, planétarium, planetario, プラネタリウム"),
  concept(
    "science, experiments, wissenschaft, experimente, sciences, expériences scientifiques, ciencia, experimentos, 科学, 実験"
  ),
  concept(
    "dressing up, dress up, costumes, fancy dress, role play, verkleiden, verkleidung, kostüme, rollenspiel, déguisements, déguisement, disfraces, disfraz, utklädning, 衣装, ごっこ遊び"
  ),
  concept("water play, wasserspiele, wasserspielbereich, jeux d'eau, juegos de agua, 水遊び"),
  concept("swing, swings, schaukel, schaukeln, balançoire, balançoires, columpio, columpios, gunga, gungor, ブランコ"),
  concept(
    "building blocks, blocks, bauklötze, bausteine, bauecke, blocs de construction, bloques, byggklossar, 積み木, ブロック"
  ),
  concept("books, story time, bücher, vorlesen, livres, lecture, libros, cuentacuentos, böcker, 絵本, 読み聞かせ"),
  concept("wooden toys, holzspielzeug, jouets en bois, juguetes de madera, 木のおもちゃ"),
  concept(
    "train table, toy trains, wooden trains, holzeisenbahn, spielzeugeisenbahn, circuit de train, train en bois, tren de juguete, プラレール, 電車"
  ),
  concept("zip line, seilrutsche, tyrolienne, tirolina, ジップライン"),
  concept(
    "cake, cakes, birthday cake, kuchen, torte, geburtstagskuchen, geburtstagstorte, gâteau, gâteaux, gâteau d'anniversaire, tarta, tarta de cumpleaños, tårta, ケーキ"
  ),
  concept(
    "party bag, party bags, goodie bag, goodie bags, mitgebsel, gastgeschenke, pochettes surprises, pochette surprise, bolsas de regalos, godispåse, お土産"
  ),
  concept(
    "party host, party hosts, entertainer, entertainers, animateur, animatrice, animador, animadora, spielleitung"
  ),
  concept(
    "open play, free play, drop in, drop in hour, drop in session, drop in play, drop in time, drop in morning, drop in afternoon, walk in, offenes spielen, freies spielen, freispiel, spielzeit, jeu libre, jeux libres, juego libre, öppen lek, 自由遊び"
  ),
  concept(
    "toddler area, baby area, toddler corner, baby corner, kleinkindbereich, espace bébé, zona de bebés, ベビーコーナー"
  ),
  concept("christmas, weihnachten, weihnachts, noël, navidad, クリスマス会, クリスマス"),
  concept("halloween, ハロウィン, ハロウィーン"),
  concept("toys, spielzeug, spielsachen, jouets, juguetes, leksaker, おもちゃ"),
  concept("lunch, mittagessen, déjeuner, almuerzo, ランチ, 昼食"),
  concept("snacks, snack, imbiss, goûter, merienda, mellanmål, おやつ, 軽食"),
  concept(
    "childcare, child care, day care, daycare, babysitting, babysitter, crèche, kinderbetreuung, kinderkrippe, babysitten, garderie, halte-garderie, garde d'enfants, baby-sitting, guardería, barnpassning, 託児, 託児所, 一時預かり, 一時保育, ベビーシッター"
  ),
  concept(
    "laser tag, lasertag, laser game, laser games, lasergame, laser quest, láser tag, juego láser, juego de láser, レーザータグ"
  ),
  concept(
    "near the station, near a station, next to the station, close to the station, walk from the station, minutes from the station, train station, railway station, tube station, underground station, subway station, metro station, bahnhof, bahnhofsnähe, bahnhofsnah, u-bahnhof, s-bahnhof, gare, station de métro, cerca de la estación, junto a la estación, estación de tren, estación de metro, 駅近, 駅チカ, 駅ちか, 駅前, 駅から, 駅の近く, 駅に近い, 駅徒歩, 最寄り駅"
  ),
  concept(
    "obstacle course, ninja course, hindernisparcours, ninja parcours, parcours d'obstacles, parcours ninja, carrera de obstáculos, circuito de obstáculos, アスレチック"
  )
]

/** Without case, accents and punctuation, for looking up names. The database folds search texts on its own. */
export const foldName = (text: string): string =>
  // Most texts have no accents, and folding them takes most of the time of reading them.
  (/^[\x20-\x7e]*$/.test(text)
    ? text.toLowerCase()
    : text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss").replaceAll("œ", "oe")
  )
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** The folded words of a text. */
export const foldedWords = (text: string): ReadonlySet<string> =>
  new Set(text.split(/\s+/).filter(Boolean).map(foldName))

const spellings = [
  ["ä", "ae"],
  ["ö", "oe"],
  ["ü", "ue"]
] as const
/** With umlauts as two letters. */
const spellOut = (text: string): string =>
  spellings.reduce((out, [letter, two]) => out.replaceAll(letter, two), text.toLowerCase())

/** The keys by which a name is looked up. */
export const keysOf = (name: string): ReadonlyArray<string> => [...new Set([foldName(name), foldName(spellOut(name))])]

/** The names of concepts by their keys. */
export const byKey = (
  namesIn: (concept: Concept) => ReadonlyArray<string>
): ReadonlyMap<string, ReadonlyArray<Concept>> => {
  const found = new Map<string, Array<Concept>>()
  for (const concept of concepts)
    for (const key of new Set(namesIn(concept).flatMap(keysOf))) {
      const named = found.get(key)
      if (named === undefined) found.set(key, [concept])
      else named.push(concept)
    }
  return found
}

/** Whoever has an ending is looked up without it, too: "elevators", "barrierefreies". */
export const withoutEnding = (key: string): string => key.replace(/(?:s|e[mnrs]?)$/, "")

const named = byKey(({ asked, names }) => [...names, ...asked])

/** The concepts that a name may mean. It may have an ending. */
export const conceptsOf = (name: string): ReadonlyArray<Concept> => {
  const key = foldName(name)
  return named.get(key) ?? named.get(withoutEnding(key)) ?? []
}

/** The requested name first, then its synonyms. */
export const namesOf = (asked: string): ReadonlyArray<string> => [
  asked,
  ...conceptsOf(asked).flatMap((concept) => [...concept.names, ...concept.asked])
]

/** Whether a name is of a script without spaces between words. */
export const isUnspaced = (name: string): boolean =>
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+/u.test(name)
