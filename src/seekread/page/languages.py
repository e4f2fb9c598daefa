# ruff: noqa: RUF001 (Cyrillic, Chinese and Japanese words are meant as they stand)
"""
What is known about single languages: scripts without spaces, small words that say nothing about a subject, endings.

Everything is spelled folded: lower case, no accents, `и` for `й`.
"""

from typing import Literal

Language = Literal["en", "de", "nl", "fr", "es", "it", "pt", "ru", "none"]


CJK = (
    r"\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3105-\u312f\u3131-\u318e"
    r"\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    r"\U00020000-\U0003ffff"
)
"""Han, kana, bopomofo and Hangul: no spaces between words, or (Korean) particles glued to them. A character class."""
UNSPACED_LETTERS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer: no spaces between words, and a character is a letter: two of them say little."""
SPACELESS = CJK + UNSPACED_LETTERS
"""Every script without spaces."""


def words(text: str) -> frozenset[str]:
    """Words written in a row, as a set."""
    return frozenset(text.split())


def endings(text: str) -> tuple[str, ...]:
    """Endings written in a row, the longest first."""
    return tuple(sorted(dict.fromkeys(text.split()), key=len, reverse=True))


STOP_WORDS: dict[Language, frozenset[str]] = {
    "en": words(
        "a about above after again all also am an and any are as at be because been before being between both but by "
        "can could did do does doing done during each else ever few for from further get had has have having he her "
        "here hers him his how i if in into is it its itself just may me might more most much must my no nor not of "
        "off on once one only or other our out over own same shall she should so some such than that the their them "
        "then there these they this those through to too under until up upon us very was we were what when where "
        "which while who whom whose why will with would you your"
    ),
    "de": words(
        "aber als am an auch auf aus bei beim bin bis bist da damit dann das dass dem den denn der des deren dessen "
        "die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas "
        "fur gab gibt hat hatte hatten haben ich ihr ihre ihrem ihren ihrer im in ist ja kann konnen konnte man "
        "mehr mit nach nicht noch nur ob oder ohne schon sein seine seinem seinen seiner sich sie sind so solche "
        "soll uber um und uns unter viel viele vielen vom von vor wann war waren warum was welche welchem welchen "
        "welcher welches wem wen wenn wer werden wessen wie wieder will wir wird wo woher wohin womit worden wurde "
        "wurden zu zum zur zwischen"
    ),
    "nl": words(
        "aan al als bij dan dat de deze die dit door een en er had heb hebben heeft het hij hoe hoeveel hun ik in is "
        "je kan maar meer met na naar niet nog of om ook op over te tot uit van veel voor waar waarom wanneer was wat "
        "we welk welke werd wie worden wordt zich zij zijn zo"
    ),
    "fr": words(
        "a ai au aux avec avait c ce ces cette combien comme comment d dans de des dont du elle elles en est et etait "
        "ete etre eu fait il ils j je l la le les leur leurs lui m mais n ne nous on ont ou par pas pour pourquoi "
        "qu quand que quel quelle quelles quels qui quoi s sa se ses si son sont sur t un une vous y"
    ),
    "es": words(
        "a al como con cual cuales cuando cuanta cuantas cuanto cuantos de del desde donde el ella ellos en era es "
        "esa ese esta este estos fue fueron ha han hay la las le les lo los mas me muy no o para pero por porque "
        "que quien quienes se ser si sin sobre son su sus tiene un una unos y ya"
    ),
    "it": words(
        "a ad ai al alla alle anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e era "
        "erano gli ha hanno i il in io la le lo loro ma nel nella non o per perche piu qual quale quali quando "
        "quanti quanto questa questo se si sia sono stato su sua sul sulla suo tra un una uno"
    ),
    "pt": words(
        "a ao aos as com como da das de do dos e ela ele em era essa esse esta este foi foram ha isso ja mais mas na "
        "nao nas no nos o onde os ou para pela pelo por porque qual quais quando quantas quanto quantos que quem se "
        "sem ser seu seus sua suas sao tem um uma"
    ),
    "ru": words(
        "а без был была были было быть в вам вас весь во вот все всего всех вы где да для до его ее если есть еще же "
        "за здесь и из или им их к как какая какие каким какими каких какого какое какои каком какому какую ко когда "
        "кого кому которая которого которое которои которую которые которыи которых кто куда ли мы на над не него "
        "нее нет ни них но о об он она они оно от откуда по под почему при с сколько со так такои также там то того "
        "тои только том тот у уже чего чеи чем чему что чтобы чья эта эти это этого этои этом этот я"
    ),
    "none": frozenset(),
}
"""Words that say nothing about the subject. Spelled folded: no accents, `и` for `й`."""

FILLERS = frozenset(
    "的了是在和与及或之也都就而着被把从对以于为因所其这那哪什么谁吗呢吧啊几多少何怎样有个些のはがをにでとも"
)

ENDINGS: dict[Language, tuple[str, ...]] = {
    "en": endings(
        "ization isation ational fulness ousness iveness ication ations ition ution ation ments ement ities ingly edly "
        "ness ment ance ence ings ious ible able ical ally ity ies ied ing ion ive ous ers ors ful est ed er or es ly "
        "al ic en s y e"
    ),
    "de": endings(
        "ierungen ierung ungen heiten keiten schaften lichen licher liches ischen ischer isches ierten ierte iert "
        "schaft lich isch ieren heit keit enden ender endes ende ungs ung sten stem ster tens ern est eten ete ten ter "
        "tes tem ers em en er es et st te e n s t"
    ),
    "nl": endings("heden ingen heid ende lijk ing aren en er es e s t"),
    "fr": endings(
        "issements issement ations ateurs atrices ation ateur ements ement euses euse ives ites ables ismes ique "
        "iques able isme iste ite ive eux eur ees ent ant ait ais er ez ee es if e s"
    ),
    "es": endings(
        "amientos imientos amiento imiento aciones uciones adoras adores acion ucion adora mente ables idades idad "
        "ancia encia ando iendo ados idos adas idas aron ieron ado ido ada ida able ivos ivas ivo iva oso osa icos "
        "icas ico ica ar er ir os as es o a e s"
    ),
    "it": endings(
        "azioni azione amenti amento imenti imento mente abili abile ita ando endo ati ate ato ata iti ite ito ere are "
        "ire oso osa ico ica ici che i e o a"
    ),
    "pt": endings(
        "amentos imentos amento imento acoes adores acao mente idades idade aveis avel ando endo indo ados idos adas "
        "idas aram eram ado ido ada ida ivo iva oso osa ico ica ar er ir os as es o a e s"
    ),
    "ru": endings(
        "ированиями ированных ированныи ированием ированная ирования ировании ировали ировало ировать ировал ировании "
        "ываниями овавшими ованиями ениями аниями остями ованных ованные ованиям ившихся ующими ующего ующих ующии "
        "ующая ющими ющего ющих ющии ющая ющие вшими вших вшии вшие вшая ениям аниям ением анием енных енная енного "
        "енным анных анная анные енныи анныи ного ными ному ностью ности ость остью ости ении ании ение ание ения "
        "ания ировано овать ивать ывать ется ются ился ались илась ились алось ился лся лась лось лись ешь ете ите "
        "ами ями ого его ому ему ыми ими ших ать ять ить еть уть ала ила ело или али ела ело ели ула ыла ыло ыли "
        "ую юю ая яя ое ее ые ие ыи ии ои еи ых их ым им ом ем ам ям ах ях ов ев ет ит ут ют ат ят ал ил ел ул ть "
        "ся сь ью ия ию ие а о у е и ы я ю ь"
    ),
    "none": (),
}
"""Endings to take off, tried in this order: at most two for English, one elsewhere."""

NEGATIONS = words(
    "no not never none nobody nothing nowhere neither nor cannot without except unless hardly scarcely barely "
    "nicht kein keine keinem keinen keiner keines nie niemals niemand niemandem niemanden nichts nirgends weder ohne "
    "kaum niet geen nooit niemand niets zonder noch ne pas jamais rien aucun aucune sans nunca jamás ni nada nadie "
    "ningún ninguno ninguna sin tampoco non mai nessuno nessuna niente senza né não nem ninguém nenhum nenhuma sem "
    "nu nici niciodată nimeni nimic fără inte ikke ej nie bez не ни нет без никогда никто никого ничего ничто нигде "
    "никакой никакие никаких нельзя ні немає δεν δε μην μη όχι χωρίς ποτέ κανένας κανείς değil yok hiç asla không chưa "
    "chẳng chớ đừng לא אין בלי ללא לא ليس ليست لا لم لن غير دون بدون नहीं न मत बिना"
)
NEGATIONS_INSIDE = ("不", "没", "沒", "无", "無", "非", "未", "勿", "莫", "否", "ない", "ません", "않", "없", "못",
                    "ไม่", "มิได้", "ไร้", "ห้าม", "อย่า", "ปราศจาก")  # fmt: skip
"""Words that turn a sentence round, lower case with accents; and those of scripts without spaces, found anywhere."""

NUMBER_WORDS = words(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen "
    "half twice zero zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig hundert "
    "tausend million millionen milliarde milliarden dutzend hälfte zweimal deux trois quatre cinq sept huit neuf dix "
    "cent mille dos tres cuatro cinco seis siete ocho nueve diez cien mil millones due tre quattro cinque sei sette "
    "otto nove dieci cento mila milioni dois três quatro sete oito dez два две двух три трех четыре пять шесть семь "
    "восемь девять десять сто двести тысяча тысячи тысяч миллион миллиона миллионов миллиард миллиардов половина doi "
    "trei patru cinci şase șapte opt nouă zece sută mie iki üç dört beş altı yedi sekiz dokuz yüz bin milyon hai ba "
    "bốn năm sáu bảy tám chín mười trăm nghìn triệu δύο τρία τρεις τέσσερα πέντε έξι επτά οκτώ εννέα δέκα εκατό χίλια"
)
NUMERALS = "二两兩三四五六七八九十百千万萬亿億零半"
"""Numbers in words, lower case with accents, without "one", which is an article as well; and Han numerals."""
