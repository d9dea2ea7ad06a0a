-- A first TryAngle Catch bot: three units walk to the nearest triangle, again and again. Read, change, win.
import Control.Monad (replicateM, unless)
import Data.List (delete, intercalate, minimumBy)
import qualified Data.Map as Map
import Data.Ord (comparing)
import System.IO

type Places = Map.Map Int (Int, Int) -- house -> x, y

readNumbers :: IO [Int]
readNumbers = map read . words <$> getLine

-- | So many lines as the next line says.
readLines :: IO [[Int]]
readLines = do
    [count] <- readNumbers
    replicateM count readNumbers

-- | The square of the straight way between two houses.
distance :: Places -> Int -> Int -> Int
distance places one other = (x - toX) ^ 2 + (y - toY) ^ 2
  where
    (x, y) = places Map.! one
    (toX, toY) = places Map.! other

-- | To each corner goes the nearest unit.
send :: Places -> [Int] -> [Int] -> [String]
send places units (corner : corners)
    | not (null units) =
        let house = minimumBy (comparing (distance places corner)) units
            moves = [unwords ["MOVE", show house, show corner, "1"] | house /= corner]
         in moves ++ send places (delete house units) corners
send _ _ _ = []

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering

    -- The map, once.
    houses <- readLines
    play (Map.fromList [(house, (x, y)) | [house, x, y] <- houses])

-- | One turn after the other.
play :: Places -> IO ()
play places = do
    over <- isEOF
    unless over $ do
        [myScore, opponentScore] <- readNumbers
        houses <- replicateM (Map.size places) readNumbers -- of each: its number, my units, my opponent's
        paths <- readLines
        triangles <- readLines -- three corners, owner, may I capture, may they
        linkable <- readLines -- paths that could be added
        let units = concat [replicate mine house | [house, mine, _] <- houses] -- the house of each unit

            -- A new unit, while there are few.
            own = [take 3 triangle | triangle <- triangles, triangle !! 3 == 0]
            spawns = [unwords ("SPAWN" : map show corners) | corners <- take 1 own, length units < 6]

            -- The nearest triangle to capture.
            wanted = [take 3 triangle | triangle <- triangles, triangle !! 3 /= 0, triangle !! 4 /= 0]
            way corner = minimum (map (distance places corner) units)
            target = minimumBy (comparing (sum . map way)) wanted
            moves = if null wanted || null units then [] else send places units target
            commands = spawns ++ moves
        putStrLn (if null commands then "WAIT" else intercalate ";" commands)
        play places

        -- Where to start: more than three units never walk; let them capture other triangles at the same time. A
        -- straight way is not always the shortest one along the paths. And look where the opponent stands first.
