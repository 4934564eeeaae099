/* One row of word lists per language. A list is one string; finding a word in it compares whole
 * entries between spaces. */
#include "text/sentences_language.h"

#include <string.h>

// clang-format off
/* A new language is one row; every field but the name may be left out. The first row is the
 * default. */
static const ramus_sentence_language languages[] = {
    {"",
     .never = "Dr Prof Mr Mrs Ms Mme Mlle Messrs St Ste Lt Col Gen Sgt Capt Sr Sra Hr vs cf ca "
              "e.g i.e",
     .number = "No Nr nr Art art Vol vol Fig fig Tab pp p S Jan Feb Apr Aug Sep Sept Oct Okt "
               "Nov Dec Dez № т с г",
     .maybe = "etc al Co Inc Ltd Corp Jr jr Ph.D"},

    {"en",
     .never = "Dr Drs Prof Profs Mr Mrs Ms Mx Messrs Mmes Mme Mlle e.g eg i.e ie viz vs v cf ca "
              "approx incl excl resp dept Univ Mt Ft Pt a.k.a w.r.t",
     .number = "no No nos Nos p pp para paras par pt vol vols ch chap chaps sec secs Sec Secs "
               "fig figs Fig Figs eq eqs Eq Eqs tab Art art arts ex Ex ed eds l ll n nn fn ver "
               "rev Op op cap q Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec b c d r est "
               "ext Ext tel Tel Ph Rm Apt Ste",
     .maybe = "Rev Hon Pres Gov Sen Sens Rep Reps Gen Brig Col Maj Capt Cpt Lt Cpl Sgt Pvt Pfc "
              "Adm Cmdr Cdr Supt Insp Det Fr Br Msgr Amb Asst Atty Inc Ltd Co Cos Corp Bros "
              "Assn Assoc LLC Plc Jr Sr Esq Ph.D M.D B.A M.A B.Sc M.Sc D.Phil Ave Blvd Rd St Dr "
              "Ln Sq Hwy al ibid et.al et.seq ft lb lbs oz yd hr hrs yr yrs mo mos mi mph gal "
              "qt sq cu avg temp cal Cal Calif Mass Penn Fla Tex Ill Wash Conn Mich Minn Wis "
              "Ariz Colo Ore Okla",
     .often = "a.m p.m A.M P.M etc B.C A.D B.C.E C.E",
     .starters = "A An The This That These Those There Then They He She It We You I My His Her "
                 "Its Our Your Their In On At As And But Or So If When While Where Why What Who "
                 "Whose How Which After Before Because Since However Although Though Unless "
                 "Whether For From By With Without To Now Here Not Nor No Yes Some Many Most "
                 "Both Each Every Everyone Everybody Everything Nobody Nothing Someone All "
                 "Another Other Others Such Once Until During Despite According Also Even Still "
                 "Just Only Perhaps Maybe Let Meanwhile Moreover Furthermore Therefore Thus "
                 "Hence Nevertheless Instead Later Finally Soon Sometimes Usually Today "
                 "Yesterday Tomorrow Tonight Did Do Does Is Are Was Were Can Could Would Should "
                 "Have Has Had Please Nearly Almost About Under Over Between Through Several "
                 "Few Two Three Four Five People Thank Thanks Sorry OK Okay Well",
     .times = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat "
              "Sun January February March April May June July August September October November "
              "December Eastern Central Mountain Pacific EST EDT ET CST CDT CT MST MDT PST PDT "
              "PT GMT UTC BST CET CEST",
     .letters = "vitamin Vitamin plan Plan grade type Type class Class group Group hepatitis "
                "Hepatitis section Section appendix Appendix annex Annex part Part recital "
                "option Option version exhibit Exhibit an",
     .said = "said says asked asks replied replies answered answers cried cries shouted shouts "
             "yelled yells whispered whispers screamed exclaimed added adds thought wondered "
             "explained explains inquired murmured muttered called continued remarked demanded "
             "laughed sighed wrote writes begged insisted repeated responded told interrupted "
             "announced declared"},

    {"de", .nouns = true,
     .never = "Dr Prof Hr Hrn Fr Frl St Mr Mrs Ms Ing Dipl Dipl.-Ing Mag Dr.med med phil jur "
              "rer nat habil Lic Hl bzw ca vgl sog sogen evtl ggf inkl exkl einschl ausschl "
              "zzgl abzgl bspw beisp insb insbes bes entspr gem lt max mind allg urspr eig "
              "eigtl gegr geb gest verh verw österr dt dtsch engl frz franz ital span lat "
              "griech röm kath ev evang bayer kgl vs resp ehem jew jewl mtl tgl wtl jährl "
              "monatl staatl städt gesetzl vorauss versch zw zzt gez hrsg Hrsg hg Hg Übers z.B "
              "d.h i.d.R z.T z.Z z.Zt z.Hd i.A i.V i.S i.S.d i.H.v i.e.S i.w.S m.E m.W v.a u.U "
              "u.E u.z s.o s.u s.a o.g o.a o.J o.O k.k k.u.k v Nr nr -nr Nrn Abs Bd Bde Abb "
              "Ziff Rn Rz Rdnr Az Aufl Ausg Anm Anh",
     .number = "Art S Kap Abt Tab lit Pos Pkt Bl H Jg Vers Kl Tel Fax Jan Feb Mär Apr Jun Jul "
               "Aug Sep Sept Okt Nov Dez Mo Di Mi Do Fr Sa So Op KV BWV Std Beschl Erw ErwG "
               "BGBl",
     .maybe = "usw usf etc u.a u.ä u.Ä o.ä o.Ä u.v.m u.v.a u.s.w p.a a.D e.V e.G i.R Co Inc Ltd "
              "Corp Cie Gebr Str -str Pl Hbf Bhf Mio Mrd Bio Tsd Jh Jhd Jhdt Jahrh v.Chr n.Chr "
              "v.u.Z Std Min min Sek Stk Stck qm Ztr Pfd jun sen jr al M.A B.A Ph.D LL.M dgl "
              "ebd ibid ff f Einw MwSt",
     .starters = "Der Die Das Den Dem Des Ein Eine Einen Einem Einer Eines Kein Keine Keiner Er "
                 "Sie Es Wir Ich Ihr Du Man Mein Meine Dein Deine Sein Seine Seinen Seinem "
                 "Seiner Ihre Ihren Ihrem Ihrer Unser Unsere Euer Eure Dieser Diese Dieses "
                 "Diesen Diesem Jener Jene Jedes Jede Jeder Alle Alles Viele Manche Einige "
                 "Mehrere Beide Andere In Im An Am Auf Aus Bei Beim Mit Nach Seit Von Vom Vor "
                 "Zu Zum Zur Für Durch Gegen Ohne Um Unter Über Zwischen Während Trotz Wegen "
                 "Neben Laut Und Aber Oder Doch Denn Sondern Wenn Als Weil Da Dass Daß Ob "
                 "Obwohl Nachdem Bevor Damit Sobald Solange Falls Wie Was Wer Wen Wem Wo Wann "
                 "Warum Wieso Weshalb Welche Welcher Welches Woher Wohin Dann Danach Darum "
                 "Deshalb Daher Deswegen Dabei Dafür Dagegen Daraus Darauf Darüber Davon Dazu "
                 "Dadurch Dort Hier Heute Gestern Morgen Jetzt Nun Nur Noch Schon Auch So Sogar "
                 "Somit Trotzdem Dennoch Jedoch Allerdings Außerdem Zudem Ferner Inzwischen "
                 "Später Früher Schließlich Zuletzt Zuerst Bald Bisher Bis Ja Nein Nicht Nichts "
                 "Niemand Jemand Natürlich Vielleicht Leider Ist Sind War Waren Hat Haben Hatte "
                 "Wird Wurde Würde Kann Können Könnte Muss Müssen Soll Sollte Darf Bitte Danke "
                 "Mir Mich Dir Dich Uns Euch Ihm Ihn Ihnen Sich Meiner Meinen Meinem Solche "
                 "Daran Darin Hinzu Insgesamt Insbesondere Zwar Sowohl Weder Entweder Etwa Rund "
                 "Gut",
     .times = "Januar Februar März April Mai Juni Juli August September Oktober November "
              "Dezember Jänner Jahrhundert Jahrhunderts Jahrtausend Jahrtausends Quartal "
              "Halbjahr Jh Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
     .letters = "Vitamin Vitamine Plan Typ Klasse Gruppe Hepatitis Punkt Teil Anlage Variante "
                "Option Buchstabe"},

    {"zh",
     .said = "说 说道 问 问道 答 答道 喊 喊道 叫 叫道 笑道 骂道 叹道 嚷道 吼道 写道 回答 回答道 "
             "反问 追问 嘀咕 补充道 說 說道 問 問道 喊著說"},

    {"ja", .quoted = "と って という との などと"},

    {"fr",
     .never = "M MM Mme Mmes Mlle Mlles Dr Pr Me Mgr St Ste cf env c.-à-d p.ex ex av apr J.-C "
              "vs",
     .number = "p pp n no art chap vol fig éd t al janv févr avr juil sept oct nov déc",
     .maybe = "etc Cie Sté bd av",
     .starters = "Le La Les Un Une Des Il Elle Ils Elles On Je Tu Nous Vous Ce Cet Cette Ces "
                 "Mais Et Ou Donc Or Car Si En Dans Pour Par Sur Avec Sans Sous Après Avant "
                 "Depuis Quand Comme Puis Ensuite Alors"},

    {"es",
     .never = "Sr Sra Sres Srta Dr Dra D Dña Prof Ud Uds Vd Vds Lic Ing Gral Sto Sta p.ej vs "
              "aprox",
     .number = "núm n nº pág págs p pp art cap vol fig tel",
     .maybe = "etc S.A EE.UU Cía Av Avda",
     .starters = "El La Los Las Un Una Unos Él Ella Ellos Ellas Yo Tú Nosotros Usted Ustedes "
                 "Pero Y O Si En Por Para Con Sin De Desde Cuando Como Después Luego Entonces "
                 "No Sí Este Esta Estos Ese Esa Eso Esto Su Mi"},

    {"it",
     .never = "sig Sig Sigg sig.ra Dott dott dott.ssa Prof prof Ing ing Avv avv Arch Geom On "
              "Rag S SS p.es es cfr ca vs",
     .number = "n nn art artt pag pagg p pp cap vol fig tel",
     .maybe = "ecc etc S.p.A S.r.l a.C d.C",
     .starters = "Il Lo La I Gli Le Un Una Uno Lui Lei Noi Voi Loro Io Tu Ma E O Se In Per Con "
                 "Da Di Poi Dopo Quando Come Questo Questa Quello Quella Non Si Sono"},

    {"pt",
     .never = "Sr Sra Srs Sras Srta Dr Dra Prof Profa Eng D Exmo Exma p.ex vs aprox",
     .number = "n nº núm pág págs p pp art cap vol fig tel",
     .maybe = "etc S.A Ltda Cia Av EUA",
     .starters = "O A Os As Um Uma Ele Ela Eles Elas Eu Tu Nós Você Vocês Mas E Ou Se Em No Na "
                 "Por Para Com Sem De Quando Como Depois Então Não Sim Este Esta Esse Essa Isso "
                 "Isto"},

    {"nl",
     .never = "dhr mevr mw dr drs prof ir ing mr Dhr bijv bv d.w.z o.a m.b.t t.a.v i.v.m t.o.v "
              "enz.a ca vgl resp St",
     .number = "nr nrs blz p pp art hfst deel afb fig tel jan feb mrt apr jun jul aug sep sept "
               "okt nov dec",
     .maybe = "enz etc e.d e.a N.V B.V jr sr a.u.b",
     .starters = "De Het Een Hij Zij Ze Wij We Ik Jij Je U Dit Dat Deze Die Maar En Of Als In "
                 "Op Voor Met Zonder Van Door Na Toen Daarna Er Hoe Wat Waar Wanneer Wie Niet "
                 "Ja Nee"},

    {"ru",
     .never = "г-н г-жа гр им св проф акад доц ул пр пл пер просп бул обл р-н т.е т.н т.к напр "
              "см ср ок",
     .number = "стр с гл рис табл ст п пп ч т № тел кв д",
     .maybe = "т.д т.п др г гг в вв н.э руб коп тыс млн млрд чел",
     .starters = "Он Она Оно Они Я Ты Мы Вы Это Этот Эта Эти Тот Но И А Или Если В На По С Для "
                 "Из К У О От При После Когда Как Потом Затем Не Да Нет Что Кто Где Там Тогда"},
};
// clang-format on

const ramus_sentence_language *ramus_sentence_language_default(void)
{
    return &languages[0];
}

const ramus_sentence_language *ramus_sentence_language_find(const char *code)
{
    if (!code || !code[0] || !code[1]) return &languages[0];
    if (code[2] != '\0' && code[2] != '-' && code[2] != '_') return &languages[0];
    for (size_t i = 1; i < sizeof languages / sizeof languages[0]; i++)
        if ((code[0] | 0x20) == languages[i].name[0] && (code[1] | 0x20) == languages[i].name[1])
            return &languages[i];
    return &languages[0];
}

typedef bool match_fn(const char *entry, size_t length, const char *word, size_t size);

static inline bool find(const char *list, const char *word, size_t size, match_fn *match)
{
    while (list && *list) {
        size_t length = 1;
        while (list[length] != ' ' && list[length] != '\0')
            length++;
        if (match(list, length, word, size)) return true;
        list += length + (list[length] == ' ');
    }
    return false;
}

static inline bool match_exact(const char *entry, size_t length, const char *word, size_t size)
{
    return length == size && memcmp(entry, word, size) == 0;
}

static inline bool match_capitalised(const char *entry, size_t length, const char *word,
                                     size_t size)
{
    if (entry[0] == '-') // an ending
        return length - 1 < size && memcmp(entry + 1, word + size - length + 1, length - 1) == 0;
    if (length != size || size < 2) return match_exact(entry, length, word, size);
    const bool capital = entry[0] >= 'a' && entry[0] <= 'z' && word[0] == entry[0] - 0x20;
    return (word[0] == entry[0] || capital) && memcmp(entry + 1, word + 1, size - 1) == 0;
}

static inline bool match_start(const char *entry, size_t length, const char *word, size_t size)
{
    return length <= size && memcmp(entry, word, length) == 0;
}

static inline bool match_end(const char *entry, size_t length, const char *word, size_t size)
{
    return length <= size && memcmp(entry, word + size - length, length) == 0;
}

bool ramus_sentence_listed(const char *list, const char *word, size_t size)
{
    return find(list, word, size, match_exact);
}

bool ramus_sentence_abbreviated(const char *list, const char *word, size_t size)
{
    return find(list, word, size, match_capitalised);
}

bool ramus_sentence_list_starts(const char *list, const char *text, size_t size)
{
    return find(list, text, size, match_start);
}

bool ramus_sentence_list_ends(const char *list, const char *text, size_t size)
{
    return find(list, text, size, match_end);
}
