-- A first Tron bot: it rides to a random free cell. Read, change, win.
import Control.Monad (replicateM, unless)
import qualified Data.Map as Map
import GHC.Clock (getMonotonicTimeNSec)
import System.IO

type Trails = Map.Map (Int, Int) Int -- (x, y) -> whose trail is there

width, height :: Int
width = 30
height = 20

directions :: [(String, Int, Int)]
directions = [("UP", 0, -1), ("DOWN", 0, 1), ("LEFT", -1, 0), ("RIGHT", 1, 0)]

readNumbers :: IO [Int]
readNumbers = map read . words <$> getLine

-- | One of them at random. The compiler's libraries have no other source of chance than the clock.
choose :: [a] -> IO a
choose list = do
    now <- getMonotonicTimeNSec
    return (list !! (fromIntegral now `mod` length list))

-- | Adds the line of a player: where its trail begins, and where it is now.
draw :: Trails -> (Int, [Int]) -> Trails
draw trails (player, [x0, y0, x, y])
    | x /= -1 = Map.insert (x0, y0) player (Map.insert (x, y) player trails)
draw trails (player, _) = Map.filter (/= player) trails -- it is out, and its trail is gone

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    play Map.empty

-- | One turn after the other, with the trails so far.
play :: Trails -> IO ()
play before = do
    over <- isEOF
    unless over $ do
        [playerCount, me] <- readNumbers
        players <- replicateM playerCount readNumbers
        let trails = foldl draw before (zip [0 ..] players)
            [_, _, myX, myY] = players !! me
            free (_, dx, dy) =
                let (x, y) = (myX + dx, myY + dy)
                 in 0 <= x && x < width && 0 <= y && y < height && Map.notMember (x, y) trails
            ways = [name | (name, _, _) <- filter free directions]
        way <- if null ways then return "UP" else choose ways
        putStrLn way
        play trails

        -- Where to start: a random cell may be a dead end. For each way, count the cells that can be reached from
        -- there, and take the way with the most.
