"""
Pages in the shapes of well-known software and sites, written by us: what must be read of each, and what must not.

Only the markup is like theirs (elements, classes, order); every word is our own.
"""

from collections.abc import Callable
from dataclasses import dataclass

SENTENCES = (
    "The upper weir was rebuilt in spring, after the flood had taken the old gates with it.",
    "Nobody expected the gauge to fail twice in one month, least of all the people who had installed it.",
    "I measured the level at six in the morning and again at noon, and the difference was eleven centimetres.",
    "You should check the batteries first, because the logger goes quiet without any warning when they run low.",
    "We replaced the float with a pressure sensor last year and have not had to drive out there since.",
    "The pipe behind the stilling well was full of gravel, which explains why the readings lagged by an hour.",
    "If the curve bends the wrong way, look at the datum before you blame the instrument.",
    "My neighbour keeps a notebook of every high water since 1974, and it agrees with the station to a hand's width.",
    "Thank you for this, it worked at once after I had turned the cable round.",
    "There is a manual for the old model in the archive, but the page with the wiring is missing.",
)
CHINESE = (
    "水文站昨天表示，上游水库的水位在过去一周内上涨了一米二，下游各镇已经做好了准备。",
    "工程师们在清晨检查了闸门，发现其中一扇因为泥沙淤积而无法完全关闭，修理需要三天时间。",
    "当地居民说，这是十年来最大的一次春汛，不过堤坝在去年冬天已经加固，没有人需要离开家。",
)
JAPANESE = (
    "市の水道局は七日、上流の貯水池の水位が平年より一メートル高いと発表した。",
    "職員が早朝に水門を点検したところ、一つが砂で閉まらなくなっており、修理には三日かかる見込みだという。",
    "住民の一人は「堤防は去年の冬に補強されたので心配していない」と話している。",
)


@dataclass(frozen=True)
class Shape:
    """A page, its address, and what belongs to its content and what does not."""

    name: str
    url: str
    html: str
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


def each(numbers: range | tuple[int, ...], write: Callable[[int], str]) -> str:
    return "\n".join(write(number) for number in numbers)


def sentence(number: int) -> str:
    return SENTENCES[number % len(SENTENCES)]


def menu(*labels: str) -> str:
    return "<ul>" + "".join(f'<li><a href="/{label.lower()}">{label}</a></li>' for label in labels) + "</ul>"


def document(title: str, body: str, head: str = "", language: str = "en") -> str:
    return f'<!doctype html><html lang="{language}"><head><title>{title}</title>{head}</head><body>{body}</body></html>'


def old_reddit() -> Shape:
    def comment(number: int) -> str:
        return f"""
        <div class="thing id-t1_c{number} noncollapsed comment" data-type="comment"><div class="midcol unvoted"></div>
        <div class="entry unvoted"><p class="tagline"><a href="/user/gauger{number}" class="author">gauger{number}</a>
        <span class="score unvoted">{number + 2} points</span> <time>2 years ago</time></p>
        <form action="#" class="usertext warn-on-unload" id="form-t1_c{number}"><div class="usertext-body may-blank">
        <div class="md"><p>{sentence(number)} {sentence(number + 3)}</p></div></div></form>
        <ul class="flat-list buttons"><li><a href="/c{number}">permalink</a></li><li><a href="#">embed</a></li>
        <li><a href="#">save</a></li><li><a href="#">report</a></li></ul></div></div>"""

    side = "".join(f"<p>Rule {number}: be kind to the river wardens.</p>" for number in range(1, 4))
    body = f"""
    <div id="header"><div id="sr-header-area">{menu("popular", "all", "random", "users")}</div></div>
    <div class="side"><form id="search"><input name="q"></form><div class="md">{side}</div></div>
    <div class="content" role="main"><div class="sitetable linklisting" id="siteTable"><div class="thing self link">
    <div class="entry unvoted"><p class="title"><a class="title may-blank">Gauge fails every spring, what now?</a></p>
    <div class="expando"><form class="usertext" id="form-t3_x"><div class="usertext-body"><div class="md">
    <p>{sentence(1)} {sentence(2)}</p></div></div></form></div></div></div></div>
    <div class="commentarea"><div class="panestack-title"><span class="title">all 8 comments</span></div>
    <div class="sitetable nestedlisting">{each(range(8), comment)}</div></div></div>
    <div class="footer-parent"><div class="footer">{menu("about", "blog", "careers")}</div></div>"""
    return Shape(
        "old.reddit",
        "https://old.reddit.example/r/hydrology/comments/1abc/gauge_fails/",
        document("Gauge fails every spring, what now? : hydrology", body),
        SENTENCES[:8],
        ("permalink",),
    )


def vanilla() -> Shape:
    def comment(number: int) -> str:
        return f"""
        <li class="Item ItemComment" id="Comment_{number}"><div class="Comment"><div class="Item-Header CommentHeader">
        <span class="Author"><a href="/profile/warden{number}" class="Username">warden{number}</a></span>
        <span class="MItem DateCreated"><time>March {number + 1}</time></span></div><div class="Item-BodyWrap">
        <div class="Item-Body"><div class="Message userContent"><p>{sentence(number)}</p><p>{sentence(number + 4)}</p>
        </div></div></div><div class="Reactions"><a href="#">Flag</a><a href="#">Like</a></div></div></li>"""

    body = f"""
    <div id="Head"><div class="Menu">{menu("Discussions", "Activity", "Sign In")}</div></div>
    <div id="Panel"><div class="Box BoxCategories"><h4>Categories</h4>{menu("Gauges", "Floats", "Loggers")}</div></div>
    <div id="Content"><div class="MessageList Discussion"><h1>Which logger for a small weir?</h1>
    <div class="Item ItemDiscussion"><div class="Discussion"><div class="Item-BodyWrap"><div class="Item-Body">
    <div class="Message userContent"><p>{sentence(8)} {sentence(5)}</p></div></div></div></div></div></div>
    <div class="CommentsWrap"><h2 class="CommentHeading">Comments</h2>
    <ul class="MessageList DataList Comments">{each(range(7), comment)}</ul></div></div>
    <div id="Foot">{menu("Privacy", "Terms")}</div>"""
    return Shape(
        "Vanilla",
        "https://forum.weirs.example/discussion/4411/which-logger-for-a-small-weir",
        document("Which logger for a small weir? - Weirs", body, '<meta property="og:type" content="article">'),
        SENTENCES[:8],
        ("Privacy",),
    )


def hacker_news() -> Shape:
    def item(number: int) -> str:
        return f"""
        <tr class="athing submission" id="{number}"><td align="right" class="title"><span class="rank">{number}.</span>
        </td><td class="votelinks"><a href="vote?id={number}"><div class="votearrow"></div></a></td><td class="title">
        <span class="titleline"><a href="https://river{number}.example/">Measuring the Lower Basin, part {number}</a>
        <span class="sitebit comhead"> (<a href="from">river{number}.example</a>)</span></span></td></tr>
        <tr><td colspan="2"></td><td class="subtext"><span class="subline">
        <span class="score">{number * 7} points</span> by <a class="hnuser">warden{number}</a>
        <span class="age"><a>{number} hours ago</a></span> |
        <a href="hide">hide</a> | <a href="item">{number * 3} comments</a></span></td></tr><tr class="spacer"></tr>"""

    body = f"""
    <center><table id="hnmain" border="0"><tr><td bgcolor="#ff6600"><table><tr><td><span class="pagetop">
    <b class="hnname"><a href="news">Hydro News</a></b><a href="newest">new</a> | <a href="front">past</a> |
    <a href="ask">ask</a> | <a href="jobs">jobs</a></span></td></tr></table></td></tr>
    <tr><td><table>{each(range(1, 31), item)}</table></td></tr>
    <tr><td><center><span class="yclinks"><a href="g">Guidelines</a> | <a href="f">FAQ</a></span></center></td></tr>
    </table></center>"""
    return Shape(
        "Hacker News",
        "https://news.hydro.example/newest",
        document("Hydro News", body),
        tuple(f"Measuring the Lower Basin, part {number}" for number in range(1, 31)),
        (),
    )


def stack_overflow() -> Shape:
    def answer(number: int) -> str:
        return f"""
        <div id="answer-{number}" class="answer js-answer" itemprop="suggestedAnswer"><div class="post-layout">
        <div class="votecell post-layout--left"><div class="js-vote-count">{number}</div></div>
        <div class="answercell post-layout--right"><div class="s-prose js-post-body" itemprop="text">
        <p>{sentence(number)} {sentence(number + 1)}</p>
        <pre class="lang-py s-code-block"><code>level = gauge.read({number})
print(level - datum)</code></pre><p>{sentence(number + 2)}</p></div>
        <div class="mt24"><div class="js-post-menu"><a href="#">Share</a><button>Follow</button></div>
        <div class="user-info"><a href="/users/{number}">warden{number}</a><span>1,204</span>
        <span title="3 gold badges">3 gold badges</span></div></div></div></div></div>"""

    body = f"""
    <header class="s-topbar">{menu("Products", "Log in", "Sign up")}</header><div class="container">
    <div id="left-sidebar"><nav>{menu("Questions", "Tags", "Users", "Companies")}</nav></div>
    <div id="content" class="snippet-hidden"><div itemprop="mainEntity" itemscope><div id="question-header">
    <h1 itemprop="name">How do I read a pressure gauge against a datum?</h1><a href="/ask">Ask Question</a></div>
    <div id="mainbar" role="main"><div class="question js-question" id="question"><div class="post-layout">
    <div class="postcell post-layout--right"><div class="s-prose js-post-body" itemprop="text">
    <p>{sentence(6)} {sentence(7)}</p></div></div></div></div>
    <div id="answers"><h2>3 Answers</h2>{each(range(3), answer)}</div></div>
    <div id="sidebar"><div class="module"><h4>Hot Network Questions</h4>{menu("Why is water wet?", "Is ice a rock?")}
    </div></div></div></div></div><footer id="footer">{menu("Teams", "Advertising", "Legal")}</footer>"""
    return Shape(
        "Stack Overflow",
        "https://overflow.example/questions/11227809/how-do-i-read-a-pressure-gauge",
        document("python - How do I read a pressure gauge against a datum? - Overflow", body),
        (*SENTENCES[:5], SENTENCES[6], SENTENCES[7], "print(level - datum)"),
        ("Advertising", "Why is water wet?"),
    )


def github_trending() -> Shape:
    languages = each(range(200), lambda number: f'<a class="select-menu-item" href="?l={number}">Tongue {number}</a>')

    def repository(number: int) -> str:
        return f"""
        <article class="Box-row"><h2 class="h3 lh-condensed"><a href="/weir{number}/gauge{number}">
        <span class="text-normal">weir{number} /</span> gauge{number}</a></h2>
        <p class="col-9 color-fg-muted my-1 pr-4">{sentence(number)}</p><div class="f6 color-fg-muted mt-2">
        <span itemprop="programmingLanguage">Python</span><a href="#" class="Link">{number},204</a>
        <span class="float-sm-right">{number * 11} stars today</span></div></article>"""

    body = f"""
    <header class="AppHeader">{menu("Product", "Solutions", "Pricing", "Sign in")}</header><main>
    <div class="subnav">{menu("Repositories", "Developers")}</div><h1>Trending</h1>
    <p>See what the river wardens are most excited about today.</p><div class="Box">
    <div class="Box-header"><details class="select-menu"><summary>Language</summary><div class="select-menu-list">
    {languages}</div></details></div><div>{each(range(1, 11), repository)}</div></div></main>
    <footer class="footer">{menu("Terms", "Privacy", "Status")}</footer>"""
    return Shape(
        "GitHub trending",
        "https://code.example/trending",
        document("Trending repositories today", body),
        (*SENTENCES[:8], "gauge7"),
        ("Tongue 150",),
    )


def chinese_news(name: str, body_class: str) -> Shape:
    related = each(
        range(12),
        lambda number: f'<li><a href="/a/{number}.html">第{number}条热点新闻：股市早盘走高，专家解读后市行情</a></li>',
    )
    paragraphs = "".join(f"<p>{text}</p>" for text in CHINESE)
    body = f"""
    <div class="top-nav">{menu("首页", "新闻", "财经", "体育", "娱乐")}</div><div class="main-wrap clearfix">
    <div class="left-col"><h1 class="main-title">上游水库水位上涨一米二</h1>
    <div class="date-source"><span class="date">2025年04月07日 09:12</span><span class="source">水文日报</span></div>
    <div class="{body_class}" id="artibody">{paragraphs}<p class="show_author">责任编辑：王明</p></div></div>
    <div class="right-col"><div class="hot-rank"><h3>热门排行</h3><ul>{related}</ul></div></div></div>
    <div class="recommend"><h3>相关推荐</h3><ul>{related}</ul></div>
    <div class="footer">版权所有 未经许可不得转载</div>"""
    return Shape(
        name,
        "https://news.example.cn/c/2025-04-07/doc-inesk.shtml",
        document(f"上游水库水位上涨一米二_{name}", body, language="zh"),
        CHINESE,
        ("股市早盘走高",),
    )


def livedoor() -> Shape:
    ranking = each(
        range(15),
        lambda number: (
            f'<li><a href="/topics/{number}/"><h3>人気俳優が結婚を発表 {number}位</h3><time>7時</time></a></li>'
        ),
    )
    paragraphs = "<br><br>".join(JAPANESE)
    body = f"""
    <header><div class="gNav">{menu("主要", "国内", "海外", "芸能")}</div></header><div id="main" class="ly-main">
    <article class="article"><h1 class="articleTtl">貯水池の水位、平年より一メートル高く</h1>
    <div class="articleDate"><time>2025年4月7日 9時12分</time></div>
    <div class="articleBody"><span itemprop="articleBody">
    {paragraphs}</span></div></article><section class="ranking"><h2>ランキング</h2><ol>{ranking}</ol></section></div>
    <aside id="side"><h2>話題の記事</h2><ul>{ranking}</ul></aside><footer>著作権は本紙にあります</footer>"""
    return Shape(
        "livedoor",
        "https://news.example.jp/article/detail/28514/",
        document("貯水池の水位、平年より一メートル高く - ニュース", body, language="ja"),
        JAPANESE,
        ("人気俳優が結婚を発表",),
    )


SHAPES = (
    old_reddit(),
    vanilla(),
    hacker_news(),
    stack_overflow(),
    github_trending(),
    chinese_news("qq", "content-article"),
    chinese_news("sina", "article"),
    livedoor(),
)
